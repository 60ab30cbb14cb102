-- Asks the gateway who sent a request, and refuses what it refuses: see haproxy.cfg, which passes the rule.
local QUESTION = "http://127.0.0.1:3900/authz/forward-auth/"
local TIMEOUT_MS = 10000
-- They speak of the connection and the body of the request. A question has its own connection, and no body.
local LEFT_OUT = { "host", "connection", "upgrade", "content-length", "transfer-encoding", "expect", "te", "trailer" }
local IDENTITY = { "caller_type", "caller_id", "role", "scopes", "assertion" }
local REFUSALS = { [401] = true, [403] = true, [429] = true, [503] = true }

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
  elseif REFUSALS[answer.status] then
    local reply = txn:reply({ status = answer.status, body = answer.body })
    for _, name in ipairs({ "content-type", "cache-control", "www-authenticate", "accept-signature", "retry-after" }) do
      if answer.headers[name] then reply:add_header(name, answer.headers[name][0]) end
    end
    txn:done(reply)
  end
  -- Anything else leaves no caller, which haproxy.cfg refuses.
end, 1)
