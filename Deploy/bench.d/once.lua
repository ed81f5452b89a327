-- Script for wrk: posts each line of a file, which is a JSON body, once. Ends after the last line.
dofile("common.lua")

local bodies, position = {}, 1

function init(arguments)
    bodies = lines_of_this_thread(arguments)
end

function request()
    local body = bodies[position]
    if not body then
        wrk.thread:stop()
        -- wrk requires a return value even after stop().
        return wrk.format("GET", "/healthz")
    end
    bodies[position] = nil
    position = position + 1
    return wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body)
end
