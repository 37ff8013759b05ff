import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct SetupRecordsTests {
  private let http: StreamCallWorld

  init() throws {
    http = try StreamCallWorld()
  }

  /// Returns the status and the body.
  private func server(_ method: String, _ path: String, _ body: String = "") throws -> (status: Int, body: JSONView) {
    let parts = path.split(separator: "?", maxSplits: 1)
    let query = (parts.count == 2 ? parts[1].split(separator: "&") : []).map { field in
      let sides = field.split(separator: "=", maxSplits: 1)
      return HTTPField(String(sides[0]), String(sides[1]))
    }
    let answer = try http.fetch(method, "/api/v2/\(parts[0])", body, as: .server, query: query)
    return (answer.status, try JSONDocument.parse(answer.body, sizeMax: 1 << 20).root)
  }

  private func capabilities(_ user: String) throws -> [String] {
    try http.ask("GET", "call/default/a", as: .user(user)).body.strings("own_capabilities")
  }

  @Test
  func `a custom permission allows its action in call types that grant it, until it is removed`() throws {
    _ = try http.ask("POST", "call/default/a")
    let wish = #"{"id":"stop-it","name":"Stop it","action":"EndCall","condition":{},"owner":true}"#
    let grants = #"{"grants":{"user":["join-call","read-call","stop-it"]}}"#
    #expect(try server("PUT", "video/calltypes/default", grants).status == 200)
    #expect(try capabilities("ann") == ["join-call", "read-call"], "nobody knows yet what it is")
    #expect(try server("POST", "permissions", wish).status == 201)
    #expect(try capabilities("ann").contains("end-call") && !capabilities("bob").contains("end-call"))
    #expect(try server("GET", "video/calltypes/default").body.strings("grants.user").contains("stop-it"))
    let one = try server("GET", "permissions/stop-it").body
    #expect(one.at("permission.custom")?.bool == true && one.at("permission.owner")?.bool == true)
    #expect(try server("POST", "permissions", wish).status == 400)
    let changed = #"{"name":"Mute","action":"MuteUsers","condition":{}}"#
    #expect(try server("PUT", "permissions/stop-it", changed).status == 200)
    #expect(try capabilities("bob") == ["join-call", "mute-users", "read-call"])
    let conditional = #"{"name":"Mute","action":"MuteUsers","condition":{"$subject.vip":{"$eq":true}}}"#
    #expect(try server("PUT", "permissions/stop-it", conditional).status == 200)
    #expect(try server("GET", "permissions/stop-it").body.at("permission.condition")?.isObject == true)
    #expect(try !capabilities("bob").contains("mute-users"), "no condition is looked at, so it gives nothing")
    #expect(try server("PUT", "permissions/stop-it", changed).status == 200)
    #expect(try server("DELETE", "permissions/stop-it").status == 200)
    #expect(try capabilities("bob") == ["join-call", "read-call"])
    for method in ["GET", "PUT", "DELETE"] {
      #expect(try server(method, "permissions/stop-it", method == "PUT" ? changed : "").body.at("code")?.integer == 16)
    }
  }

  @Test
  func `no permission replaces a built-in one, and ids with other bytes are other permissions`() throws {
    for id in ["end-call", "end-call-owner", "end-call-any-team", "start-record-call", "a b", ""] {
      let wish = #"{"id":"\#(id)","name":"x","action":"EndCall","condition":{}}"#
      #expect(try server("POST", "permissions", wish).status == 400, "\(id)")
    }
    let names = ["caf\u{E9}", "cafe\u{301}"]
    for id in names {
      #expect(try server("POST", "permissions", #"{"id":"\#(id)","name":"x","action":"EndCall"}"#).status == 201)
    }
    _ = try http.ask("POST", "call/default/a")
    #expect(
      try server("PUT", "video/calltypes/default", #"{"grants":{"user":["read-call","\#(names[1])"]}}"#).status == 200)
    #expect(try server("DELETE", "permissions/cafe%CC%81").status == 200)
    #expect(try !capabilities("ann").contains("end-call"))
    let ids = try server("GET", "permissions").body.at("permissions")?.elements?.filter { $0["custom"]?.bool == true }
    #expect(ids?.map { $0["id"]?.string.map { Array($0.utf8) } } == [Array(names[0].utf8)])
    for number in 0..<99 {
      #expect(try server("POST", "permissions", #"{"id":"p\#(number)","name":"x","action":"y"}"#).status == 201)
    }
    #expect(try server("POST", "permissions", #"{"id":"last","name":"x","action":"y"}"#).status == 429)
  }

  @Test
  func `roles are found by prefix, page by page`() throws {
    _ = try server("POST", "roles", #"{"name":"captain"}"#)
    func names(_ query: String) throws -> [String] {
      try server("GET", "roles/search?\(query)").body.at("roles")?.elements?.compactMap { $0["name"]?.string } ?? []
    }
    #expect(try names("query=ca") == ["call_member", "captain"])
    #expect(try names("query=ca&limit=1") == ["call_member"] && names("query=ca&name_gt=call_member") == ["captain"])
    #expect(try server("GET", "roles/search").status == 400)
    for limit in ["0", "101", "x"] { #expect(try server("GET", "roles/search?query=a&limit=\(limit)").status == 400) }
  }

  @Test
  func `external storages are stored without their keys`() throws {
    let wish = """
      {"name":"mine","bucket":"b","storage_type":"s3","path":"calls/","aws_s3":{"s3_region":"eu","s3_secret":"SECRET"}}
      """
    #expect(try server("POST", "external_storage", wish).status == 201)
    #expect(try server("POST", "external_storage", wish).status == 400)
    let listed = try server("GET", "external_storage").body
    #expect(listed.at("external_storages.mine.bucket")?.string == "b" && !listed.text.contains("SECRET"))
    #expect(try server("GET", "external_storage/mine/check").body.at("file_url")?.string?.isEmpty == false)
    let changed = try server("PUT", "external_storage/mine", #"{"bucket":"c","storage_type":"gcs"}"#)
    #expect(changed.status == 200 && changed.body.at("bucket")?.string == "c" && changed.body.at("path")?.string == "")
    #expect(try server("DELETE", "external_storage/mine").status == 200)
    for (method, path) in [("DELETE", ""), ("PUT", ""), ("GET", "/check")] {
      let answer = try server(method, "external_storage/mine\(path)", method == "PUT" ? wish : "")
      #expect(answer.body.at("code")?.integer == 16)
    }
    for body in [
      "{}", #"{"name":"a/b","bucket":"b","storage_type":"s3"}"#, #"{"name":"a","bucket":"b","storage_type":"tape"}"#,
      #"{"name":"a","bucket":"b","storage_type":"s3","aws_s3":1}"#, "[]", "x",
    ] {
      #expect(try server("POST", "external_storage", body).status == 400, "\(body)")
    }
  }

  @Test
  func `a trunk accepts its password or its allowed addresses, and only servers are told them`() throws {
    let wish = #"{"name":"desk","numbers":["+1"],"allowed_ips":["192.0.2.1"]}"#
    let made = try server("POST", "video/sip/inbound_trunks", wish).body
    let id = try #require(made.at("sip_trunk.id")?.string)
    let password = try #require(made.at("sip_trunk.password")?.string)
    let call = #"{"sip_caller_number":"+2","sip_trunk_number":"+1"}"#
    let asked = try server("POST", "video/sip/auth", call).body
    #expect(asked.at("auth_result")?.string == "password" && asked.at("password")?.string == password)
    let near = #"{"sip_caller_number":"+2","sip_trunk_number":"+1","source_ip":"192.0.2.1"}"#
    let accepted = try server("POST", "video/sip/auth", near).body
    #expect(accepted.at("auth_result")?.string == "accept" && accepted.at("password") == nil)
    #expect(accepted.at("trunk_id")?.string == id)
    #expect(try http.ask("POST", "sip/auth", call).status == 403)
    let changed = #"{"name":"desk","numbers":["+3"],"password":"mine"}"#
    #expect(
      try server("PUT", "video/sip/inbound_trunks/\(id)", changed).body.at("sip_trunk.password")?.string == "mine")
    #expect(try server("POST", "video/sip/auth", call).body.at("auth_result")?.string == "no_trunk_found")
    #expect(try server("GET", "video/sip/inbound_trunks").body.at("sip_trunks.0.numbers.0")?.string == "+3")
    #expect(try server("DELETE", "video/sip/inbound_trunks/\(id)").status == 200)
    #expect(try server("DELETE", "video/sip/inbound_trunks/\(id)").body.at("code")?.integer == 16)
    for body in ["{}", #"{"name":"x"}"#, #"{"name":"x","numbers":[1]}"#, #"{"name":"x","numbers":"+1"}"#] {
      #expect(try server("POST", "video/sip/inbound_trunks", body).status == 400, "\(body)")
    }
  }

  @Test
  func `rules belong to existing trunks, with the parts that clients require`() throws {
    let trunk = try #require(
      try server("POST", "video/sip/inbound_trunks", #"{"name":"d","numbers":[]}"#).body.at("sip_trunk.id")?.string)
    let start = #"{"name":"in","trunk_ids":["\#(trunk)"],"caller_configs":{"id":"u"}"#
    let path = "video/sip/inbound_routing_rules"
    let made = try server(
      "POST", path, start + #","pin_protection_configs":{"default_pin":"1"},"call_configs":{"custom_data":null}}"#)
    #expect(made.status == 201 && made.body.at("called_numbers")?.elements?.isEmpty == true)
    #expect(
      made.body.at("caller_configs.custom_data")?.isObject == true
        && made.body.at("call_configs.custom_data")?.isObject == true)
    #expect(made.body.at("pin_protection_configs.enabled")?.bool == false)
    let id = try #require(made.body.at("id")?.string)
    let direct = start + #","direct_routing_configs":{"call_type":"default","call_id":"a"}}"#
    #expect(
      try server("PUT", "\(path)/\(id)", direct).body.at("sip_inbound_routing_rule.direct_routing_configs.call_id")?
        .string == "a")
    #expect(try server("GET", path).body.at("sip_inbound_routing_rules.0.id")?.string == id)
    #expect(try server("DELETE", "\(path)/\(id)").status == 200 && server("GET", path).status == 200)
    #expect(try server("PUT", "\(path)/\(id)", direct).body.at("code")?.integer == 16)
    let long = String(repeating: "x", count: 9000)
    for body in [
      "{}", #"{"name":"x","trunk_ids":["none"],"caller_configs":{"id":"u"}}"#, #"{"name":"x","trunk_ids":[]}"#,
      start + #","call_configs":{"a":"\#(long)"}}"#, start + #","direct_routing_configs":{}}"#,
      start + #","call_configs":7}"#,
    ] {
      #expect(try server("POST", path, body).status == 400, "\(body.prefix(80))")
    }
  }

  @Test
  func `push templates are stored for existing providers, and are deleted with them`() throws {
    _ = try server("POST", "push_providers", #"{"push_provider":{"type":"apn","name":"mine"}}"#)
    let wish =
      #"{"event_type":"call.ring","push_provider_type":"apn","push_provider_name":"mine","template":"{\"a\":1}"}"#
    let made = try server("POST", "push_templates", wish)
    #expect(made.status == 201 && made.body.at("template.enable_push")?.bool == true)
    #expect(made.body.at("template.template")?.string == #"{"a":1}"#)
    let off = #"{"event_type":"call.ring","push_provider_type":"apn","push_provider_name":"mine","enable_push":false}"#
    let changed = try server("POST", "push_templates", off).body
    #expect(changed.at("template.enable_push")?.bool == false && changed.at("template.template") != nil)
    #expect(try server("GET", "push_templates?push_provider_type=apn").body.at("templates")?.count == 1)
    #expect(try server("GET", "push_templates?push_provider_type=firebase").body.at("templates")?.count == 0)
    _ = try server("DELETE", "push_providers/apn/mine")
    #expect(try server("GET", "push_templates?push_provider_type=apn").body.at("templates")?.count == 0)
    #expect(try server("POST", "push_templates", wish).body.at("code")?.integer == 16)
    #expect(try server("GET", "push_templates").status == 400)
    #expect(try server("GET", "push_templates?push_provider_type=fax").status == 400)
  }

  @Test
  func `users' push preferences are stored, and shown to the users themselves`() throws {
    _ = try http.connect("ann")
    let wish = """
      {"preferences":[{"call_level":"none","disabled_until":"2099-01-01T00:00:00Z"},
      {"channel_cid":"messaging:a","chat_level":"mentions"}]}
      """
    let answer = try http.fetch("POST", "/video/push_preferences", wish)
    #expect(answer.status == 201 && answer.at("user_preferences.ann.call_level") == "none")
    let root = try JSONDocument.parse(answer.body).root
    let channel = root.at("user_channel_preferences.ann")?[member: "messaging:a"]
    #expect(channel?.at("chat_level")?.string == "mentions")
    let back = try server(
      "POST", "push_preferences", #"{"preferences":[{"user_id":"ann","remove_disable":true,"chat_level":"all"}]}"#
    ).body
    #expect(back.at("user_preferences.ann.disabled_until") == nil)
    #expect(back.at("user_preferences.ann.call_level")?.string == "none")
    let again = http.stream.connect(http.stream.token())
    let first = try JSONDocument.parse(try #require(again.texts.first)).root
    #expect(first.at("me.push_preferences.chat_level")?.string == "all")
    #expect(try http.fetch("POST", "/push_preferences", #"{"preferences":[{"user_id":"bob"}]}"#).status == 403)
    for body in [
      "{}", #"{"preferences":[]}"#, #"{"preferences":[{"user_id":"ann","call_level":"loud"}]}"#,
      #"{"preferences":[7]}"#,
    ] {
      #expect(try server("POST", "push_preferences", body).status == 400, "\(body)")
    }
    #expect(try server("POST", "push_preferences", #"{"preferences":[{"user_id":"nobody"}]}"#).status == 404)
    let check = try server("POST", "check_push", #"{"user_id":"ann","skip_devices":true}"#)
    #expect(check.status == 201 && check.body.at("general_errors")?.count == 1)
    #expect(try server("POST", "check_push", #"{"user_id":"nobody"}"#).status == 404)
  }

  @Test
  func `the digest of an unknown day is empty`() throws {
    let digest = try server("GET", "video/stats/daily_digest?date=2026-08-31")
    #expect(digest.status == 200 && digest.body.at("date")?.string == "2026-08-31")
    #expect(try server("GET", "video/stats/daily_digest").body.at("date")?.string?.utf8.count == 10)
    #expect(try server("GET", "video/stats/daily_digest?date=today").status == 400)
  }

  @Test(arguments: [
    ("GET", "/permissions/x"), ("POST", "/permissions"), ("GET", "/push_templates"), ("GET", "/external_storage"),
    ("POST", "/external_storage"), ("GET", "/video/sip/inbound_trunks"), ("POST", "/video/sip/inbound_routing_rules"),
    ("GET", "/roles/search"), ("GET", "/video/stats/daily_digest"),
  ])
  func `the records of an application are hidden from users`(method: String, path: String) throws {
    #expect(try http.fetch(method, path, method == "GET" ? "" : "{}").status == 403)
  }

  @Test
  func `a setup while the store is away is refused for now, and nothing is changed`() throws {
    http.stream.space.store.fault = .away
    let asked = [
      ("POST", "permissions", #"{"id":"p","name":"x","action":"y"}"#), ("GET", "permissions", ""),
      ("DELETE", "permissions/p", ""), ("GET", "roles/search?query=a", ""), ("GET", "external_storage", ""),
      ("POST", "external_storage", #"{"name":"a","bucket":"b","storage_type":"s3"}"#),
      ("DELETE", "external_storage/a", ""), ("POST", "video/sip/inbound_trunks", #"{"name":"x","numbers":[]}"#),
      ("POST", "video/sip/auth", #"{"sip_caller_number":"1","sip_trunk_number":"2"}"#),
      ("POST", "push_templates", #"{"event_type":"call.ring","push_provider_type":"apn"}"#),
      ("POST", "push_preferences", #"{"preferences":[{"user_id":"ann","call_level":"none"}]}"#),
    ]
    for (method, path, body) in asked { #expect(try server(method, path, body).status == 503, "\(method) \(path)") }
    http.stream.space.store.fault = nil
    #expect(try server("GET", "external_storage").body.at("external_storages")?.members?.isEmpty == true)
  }
}
