internal import GatewayCore
internal import GatewayJSON

// Templates of push notifications, and whether these would be sent. Nothing is pushed.

extension StreamSetupRoutes {
  static let templateBytesMax = 16 << 10

  var templateRoutes: [HTTPRoute] {
    rest.resource("GET", .common("push_templates"), "GetPushTemplates", .server) { request throws(StreamError) in
      guard let type = request.http.parameter("push_provider_type") else {
        throw .input("push_provider_type is a required field", field: "push_provider_type")
      }
      try Self.checkProvider(type)
      let name = request.http.parameter("push_provider_name")
      let templates = try await records(.template, at: request.receivedAt).filter { template in
        template.id[0].utf8.elementsEqual(type.utf8) && name.map { template.id[1].utf8.elementsEqual($0.utf8) } != false
      }
      return StreamAnswer(200) { json in
        json.member("templates", objects: templates) { template, json in
          template.writeTemplate(to: &json, request.dates)
        }
      }
    }
      + rest.resource("POST", .common("push_templates"), "UpsertPushTemplate", .server) { request throws(StreamError) in
        let body = request.body
        let type = try body.requiredString("push_provider_type", max: 32)
        try Self.checkProvider(type)
        let event = try body.requiredString("event_type", max: 64)
        let provider = try body.string("push_provider_name", max: 128) ?? ""
        try await checkProvider(type, provider, at: request.receivedAt)
        let isEnabled = try body.bool("enable_push")
        _ = try body.string("template", max: Self.templateBytesMax)
        let id = [type, provider, event]
        let kept = try await changeRecord(.template, id, at: request.receivedAt) { (known) throws(GatewayError) in
          var template = known ?? StreamRecord(id, createdAt: request.receivedAt, members: ["enable_push": "true"])
          if let isEnabled { template.members["enable_push"] = isEnabled ? "true" : "false" }
          if body.has("template") { template.members["template"] = body.value("template")?.text }
          return template
        }
        return StreamAnswer(201) { $0.member("template") { kept.writeTemplate(to: &$0, request.dates) } }
      }
      + rest.resource("POST", .common("check_push"), "CheckPush", .server) { request throws(StreamError) in
        let user = try request.actingUser()
        guard try await rest.lookUp(user).user != nil else {
          throw .doesNotExist("user with id \(user) does not exist")
        }
        let event = try request.body.string("event_type", max: 64)
        let skipsDevices = try request.body.bool("skip_devices")
        return StreamAnswer(201) { json in
          if let event { json.member("event_type", event) }
          if let skipsDevices { json.member("skip_devices", skipsDevices) }
          json.member("general_errors", strings: ["this gateway pushes nothing"])
        }
      }
  }

  private static func checkProvider(_ type: String) throws(StreamError) {
    guard providerTypes.contains(where: { $0.utf8.elementsEqual(type.utf8) }) else {
      throw .input(
        "field \"push_provider_type\" must be one of \(providerTypes.joined(separator: ", "))",
        field: "push_provider_type")
    }
  }

  /// Throws if the provider is named and does not exist.
  private func checkProvider(_ type: String, _ name: String, at now: WallTime) async throws(StreamError) {
    guard !name.isEmpty else { return }
    let providers = try await ask { () async throws(GatewayError) in try await setup.providers(at: now) }
    guard providers.contains(where: { $0.type == type && $0.name == Name(name) }) else {
      throw .doesNotExist("there is no push provider of that type and name")
    }
  }
}

extension StreamRecord {
  /// Writes the members of the object `PushTemplateResponse`.
  fileprivate func writeTemplate(to json: inout JSONWriter, _ dates: StreamDates) {
    json.member("event_type", id[2])
    json.member("push_provider_internal_id", id[1].isEmpty ? id[0] : "\(id[0]):\(id[1])")
    json.member("created_at", createdAt, dates)
    json.member("updated_at", updatedAt, dates)
    writeKept(to: &json)
  }
}
