-- Script for wrk: exchanges refresh tokens. The refresh token of each response goes to the end of the queue, so that
-- every session is used and two connections never use the same session at once.
dofile("common.lua")

local queue, first, last = {}, 1, 0
local headers = { ["Content-Type"] = "application/x-www-form-urlencoded" }

local function append(token)
    last = last + 1
    queue[last] = token
end

function init(arguments)
    for _, token in ipairs(lines_of_this_thread(arguments)) do append(token) end
end

function request()
    local token = queue[first]
    queue[first] = nil
    first = first + 1
    return wrk.format("POST", nil, headers, "grant_type=refresh_token&refresh_token=" .. token)
end

function response(status, _, body)
    if status == 200 then append(body:match('"refresh_token":"([^"]+)"')) end
end
