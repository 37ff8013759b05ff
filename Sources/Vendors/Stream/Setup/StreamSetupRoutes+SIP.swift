internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

// SIP trunks and the routing rules of their calls. No calls come in by telephone: the records are stored and returned,
// and a look-up of a trunk by number returns the credentials or addresses that open it.

extension StreamSetupRoutes {
  var sipRoutes: [HTTPRoute] { trunkRoutes + ruleRoutes + resolvingRoutes }

  // MARK: Trunks

  private var trunkRoutes: [HTTPRoute] {
    rest.resource("GET", .video("sip/inbound_trunks"), "ListSIPTrunks", .server) { request throws(StreamError) in
      let trunks = try await records(.trunk, at: request.receivedAt)
      return StreamAnswer(200) { Self.write(trunks, "sip_trunks", to: &$0, request.dates) }
    }
      + rest.resource("POST", .video("sip/inbound_trunks"), "CreateSIPTrunk", .server) { request throws(StreamError) in
        let id = newID()
        let wish = try Self.trunk(request.body)
        let made = [
          "username": "sip-\(id)", "password": Base64URL.encode(secrets.bytes(18)), "uri": "sip:\(id)@sip.invalid",
        ]
        let kept = try await changeRecord(.trunk, [id], at: request.receivedAt) { (_) throws(GatewayError) in
          StreamRecord([id], createdAt: request.receivedAt, members: StreamRecord.texts(made).merging(wish) { $1 })
        }
        return StreamAnswer(201) { $0.member("sip_trunk") { kept.writeIdentified(to: &$0, request.dates) } }
      }
      + rest.resource("PUT", .video("sip/inbound_trunks/{id}"), "UpdateSIPTrunk", .server) {
        request throws(StreamError) in
        let id = request.parameters["id"]
        let wish = try Self.trunk(request.body)
        let kept = try await changeRecord(.trunk, [id], at: request.receivedAt) { (known) throws(GatewayError) in
          guard var known else { throw Self.missing("trunk", id).gatewayError }
          known.members.merge(wish) { $1 }
          return known
        }
        return StreamAnswer(200) { $0.member("sip_trunk") { kept.writeIdentified(to: &$0, request.dates) } }
      }
      + rest.resource("DELETE", .video("sip/inbound_trunks/{id}"), "DeleteSIPTrunk", .server) {
        request throws(StreamError) in
        let id = request.parameters["id"]
        try await removeRecord(.trunk, [id], at: request.receivedAt, Self.missing("trunk", id))
        return StreamAnswer(200)
      }
  }

  private static func trunk(_ body: StreamBody) throws(StreamError) -> StreamCustom {
    var members = StreamRecord.texts(["name": try body.requiredString("name", max: 255)])
    guard let numbers = try body.strings("numbers", count: 100, max: 64) else {
      throw .input("numbers is a required field", field: "numbers")
    }
    members["numbers"] = JSONWriter.text(numbers)
    members["allowed_ips"] = JSONWriter.text(try body.strings("allowed_ips", count: 100, max: 64) ?? [])
    if let password = try body.string("password", max: 255), !password.isEmpty {
      members.merge(StreamRecord.texts(["password": password])) { $1 }
    }
    return members
  }

  // MARK: Rules

  private var ruleRoutes: [HTTPRoute] {
    let path = "sip/inbound_routing_rules"
    return rest.resource("GET", .video(path), "ListSIPInboundRoutingRule", .server) { request throws(StreamError) in
      let rules = try await records(.rule, at: request.receivedAt)
      return StreamAnswer(200) { Self.write(rules, "sip_inbound_routing_rules", to: &$0, request.dates) }
    }
      + rest.resource("POST", .video(path), "CreateSIPInboundRoutingRule", .server) { request throws(StreamError) in
        let id = newID()
        let wish = try await rule(request)
        let kept = try await changeRecord(.rule, [id], at: request.receivedAt) { (_) throws(GatewayError) in
          StreamRecord([id], createdAt: request.receivedAt, members: wish)
        }
        return StreamAnswer(201) { kept.writeIdentified(to: &$0, request.dates) }
      }
      + rest.resource("PUT", .video(path + "/{id}"), "UpdateSIPInboundRoutingRule", .server) {
        request throws(StreamError) in
        let id = request.parameters["id"]
        let wish = try await rule(request)
        let kept = try await changeRecord(.rule, [id], at: request.receivedAt) { (known) throws(GatewayError) in
          guard var known else { throw Self.missing("rule", id).gatewayError }
          known.members = wish
          return known
        }
        return StreamAnswer(200) {
          $0.member("sip_inbound_routing_rule") { json in
            kept.writeIdentified(to: &json, request.dates)
            json.member("duration", "")
          }
        }
      }
      + rest.resource("DELETE", .video(path + "/{id}"), "DeleteSIPInboundRoutingRule", .server) {
        request throws(StreamError) in
        let id = request.parameters["id"]
        try await removeRecord(.rule, [id], at: request.receivedAt, Self.missing("rule", id))
        return StreamAnswer(200)
      }
  }

  /// Reads a rule's body, with the parts that clients require.
  private func rule(_ request: StreamRequest) async throws(StreamError) -> StreamCustom {
    let body = request.body
    var members = StreamRecord.texts(["name": try body.requiredString("name", max: 255)])
    guard let trunks = try body.strings("trunk_ids", count: 100, max: 64) else {
      throw .input("trunk_ids is a required field", field: "trunk_ids")
    }
    let known = Set(try await records(.trunk, at: request.receivedAt).map { Name($0.name) })
    if let unknown = trunks.first(where: { !known.contains(Name($0)) }) {
      throw .input("trunk \"\(unknown)\" does not exist", field: "trunk_ids")
    }
    members["trunk_ids"] = JSONWriter.text(trunks)
    for name in ["called_numbers", "caller_numbers"] {
      members[Name(name)] = JSONWriter.text(try body.strings(name, count: 100, max: 64) ?? [])
    }
    guard let caller = try body.object("caller_configs") else {
      throw .input("caller_configs is a required field", field: "caller_configs")
    }
    _ = try caller.requiredString("id", max: 255)
    let kept: [(name: String, needed: StreamCustom)] = [
      ("caller_configs", ["custom_data": "{}"]), ("call_configs", ["custom_data": "{}"]),
      ("direct_routing_configs", [:]), ("pin_protection_configs", ["enabled": "false"]), ("pin_routing_configs", [:]),
    ]
    for (name, needed) in kept {
      guard let part = try body.object(name) else { continue }
      let said = (part.view.members ?? []).filter { !$0.value.isNull }
      guard said.count <= 32, part.view.text.utf8.count <= 8192 else {
        throw body.wrong(name, "an object of at most 32 members and 8192 bytes")
      }
      let all = needed.merging(said.map { (Name($0.name), $0.value.text) }) { $1 }
      members[Name(name)] = String(decoding: JSONWriter.object { $0.members(all) }, as: UTF8.self)
    }
    if let direct = try body.object("direct_routing_configs") {
      for name in ["call_type", "call_id"] { _ = try direct.requiredString(name, max: 127) }
    }
    return members
  }

  // MARK: Look-up

  private var resolvingRoutes: [HTTPRoute] {
    rest.resource("POST", .video("sip/auth"), "ResolveSipAuth", .user) { request throws(StreamError) in
      guard let trunk = try await trunk(for: request) else {
        return StreamAnswer(201) { $0.member("auth_result", "no_trunk_found") }
      }
      // Only servers may see a trunk's credentials.
      guard request.caller.isServer else { throw .notAllowed("only a server may ask how a trunk is opened") }
      let source = try request.body.string("source_ip", max: 64)
      let isAllowed = source.map { source in trunk.texts("allowed_ips").contains { $0.utf8.elementsEqual(source.utf8) }
      }
      return StreamAnswer(201) { json in
        json.member("auth_result", isAllowed == true ? "accept" : "password")
        json.member("trunk_id", trunk.name)
        guard isAllowed != true else { return }
        json.member("username", trunk.text("username"))
        json.member("password", trunk.text("password"))
      }
    }
      + rest.resource("POST", .video("sip/resolve"), "ResolveSipInbound", .user) { request throws(StreamError) in
        guard try await trunk(for: request) != nil else { throw .doesNotExist("no trunk has this number") }
        throw .doesNotExist("no telephone leads here")
      }
  }

  private func trunk(for request: StreamRequest) async throws(StreamError) -> StreamRecord? {
    _ = try request.body.requiredString("sip_caller_number", max: 255)
    let number = try request.body.requiredString("sip_trunk_number", max: 255)
    return try await records(.trunk, at: request.receivedAt).first { trunk in
      trunk.texts("numbers").contains { $0.utf8.elementsEqual(number.utf8) }
    }
  }

  // MARK: Shared parts

  private func newID() -> String { Base64URL.encode(secrets.bytes(12)) }

  private static func missing(_ what: String, _ id: String) -> StreamError {
    .doesNotExist("SIP \(what) \"\(id)\" does not exist")
  }

  private static func write(
    _ records: [StreamRecord], _ name: StaticString, to json: inout JSONWriter, _ dates: StreamDates
  ) {
    json.member(name, objects: records) { record, json in
      record.writeIdentified(to: &json, dates)
      if record.members["trunk_ids"] != nil { json.member("duration", "") }
    }
  }
}

extension JSONWriter {
  /// Writes texts as an array.
  fileprivate static func text(_ strings: [String]) -> String {
    var json = JSONWriter()
    json.beginArray()
    for string in strings { json.string(string) }
    json.endArray()
    return json.text
  }

  /// Writes members in the order of their names.
  fileprivate mutating func members(_ members: StreamCustom) {
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      self.name(name.text)
      raw(value)
    }
  }
}

extension StreamRecord {
  /// Writes all properties, with the record's name and dates.
  fileprivate func writeIdentified(to json: inout JSONWriter, _ dates: StreamDates) {
    json.member("id", name)
    json.member("created_at", createdAt, dates)
    json.member("updated_at", updatedAt, dates)
    writeKept(to: &json)
  }
}
