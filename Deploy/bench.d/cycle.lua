-- Script for wrk: posts the lines of a file, which are JSON bodies, in turn. Starts again after the last line.
dofile("common.lua")

local requests, position = {}, 0

function init(arguments)
    for _, body in ipairs(lines_of_this_thread(arguments)) do
        table.insert(requests, wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body))
    end
end

function request()
    position = position % #requests + 1
    return requests[position]
end
