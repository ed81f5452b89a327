-- Posts the JSON bodies of a file in turn, and starts again after the last one.
dofile("common.lua")

local requests, last = {}, 0

function init(arguments)
    for _, body in ipairs(share(arguments)) do
        table.insert(requests, wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body))
    end
end

function request()
    last = last % #requests + 1
    return requests[last]
end
