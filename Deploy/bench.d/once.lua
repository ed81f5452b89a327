-- Posts each JSON body of a file once, and ends after the last one.
dofile("common.lua")

local bodies, next = {}, 1

function init(arguments)
    bodies = share(arguments)
end

function request()
    local body = bodies[next]
    if not body then
        wrk.thread:stop()
        -- wrk needs a request even now.
        return wrk.format("GET", "/healthz")
    end
    bodies[next] = nil
    next = next + 1
    return wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body)
end
