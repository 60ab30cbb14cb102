-- Asks the gateway who sent a request, and passes on its refusals and redirects: see haproxy.cfg, which passes the rule.
local QUESTION = "http://127.0.0.1:3900/authz/forward-auth/"
local TIMEOUT_MS = 10000
-- They speak of the connection and the body of the request. A question has its own connection, and no body.
local LEFT_OUT = { "host", "connection", "upgrade", "content-length", "transfer-encoding", "expect", "te", "trailer" }
local IDENTITY = { "caller_type", "caller_id", "role", "scopes", "assertion" }
local PASSED_ON = { [302] = true, [401] = true, [403] = true, [404] = true, [405] = true, [429] = true, [503] = true }
local ANSWERED = {
  "content-type", "cache-control", "location", "set-cookie", "www-authenticate", "accept-signature", "retry-after"
}
local COOKIES = { ["__Host-auth-gate"] = true, ["__Host-auth-gate-state"] = true }

-- The service gets each cookie but the two of the gate.
local function drop_cookies(http, values)
  if not values then return end
  local kept = {}
  for i = 0, #values do
    for pair in values[i]:gmatch("[^;]+") do
      local text = pair:match("^%s*(.-)%s*$")
      if text ~= "" and not COOKIES[text:match("^[^=%s]*")] then kept[#kept + 1] = text end
    end
  end
  http:req_del_header("cookie")
  if #kept > 0 then http:req_add_header("cookie", table.concat(kept, "; ")) end
end

core.register_action("auth_gateway", { "http-req" }, function(txn, rule)
  local fields = txn.http:req_get_headers()
  for _, name in ipairs(LEFT_OUT) do fields[name] = nil end
  fields["x-forwarded-method"] = { txn.f:method() }
  fields["x-forwarded-uri"] = { txn.f:pathq() }
  local answer = core.httpclient():get({ url = QUESTION .. rule, headers = fields, timeout = TIMEOUT_MS })

  if answer.status == 200 then
    for _, name in ipairs(IDENTITY) do
      local values = answer.headers["x-auth-" .. name:gsub("_", "-")]
      txn:set_var("txn.auth_" .. name, values[0])
    end
    drop_cookies(txn.http, fields.cookie)
  elseif PASSED_ON[answer.status] then
    local reply = txn:reply({ status = answer.status, body = answer.body })
    for _, name in ipairs(ANSWERED) do
      if answer.headers[name] then reply:add_header(name, answer.headers[name][0]) end
    end
    txn:done(reply)
  end
  -- Anything else leaves no caller, which haproxy.cfg refuses.
end, 1)
