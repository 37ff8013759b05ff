internal import GatewayCore
internal import GatewayJSON

// Push providers, which push nothing; rate limits, and counts of current calls.

extension StreamSetupRoutes {
  static let providerTypes = ["firebase", "apn", "huawei", "xiaomi"]
  /// The stored properties of a provider; its keys, certificates and credentials are not stored.
  private static let providerTexts = [
    "apn_auth_type", "apn_host", "apn_key_id", "apn_team_id", "apn_topic", "description", "disabled_reason",
    "firebase_host", "huawei_app_id", "xiaomi_package_name",
  ]

  var providerRoutes: [HTTPRoute] {
    rest.resource("GET", .common("push_providers"), "ListPushProviders", .server) { request throws(StreamError) in
      let providers = try await ask { () async throws(GatewayError) in
        try await setup.providers(at: request.receivedAt)
      }
      return StreamAnswer(200) { json in
        json.member("push_providers", objects: providers) { provider, json in
          provider.writeMembers(to: &json, request.dates)
        }
      }
    }
      + rest.resource("POST", .common("push_providers"), "UpsertPushProvider", .server) { request throws(StreamError) in
        guard let body = try request.body.object("push_provider") else {
          throw .input("push_provider is a required field", field: "push_provider")
        }
        let type = try body.requiredString("type", max: 32)
        guard Self.providerTypes.contains(type) else {
          throw body.wrong("type", "one of \(Self.providerTypes.joined(separator: ", "))")
        }
        var provider = StreamPushProvider(
          type: type, name: Name(try body.requiredString("name", max: 128)), createdAt: request.receivedAt,
          updatedAt: request.receivedAt, members: [:])
        for name in Self.providerTexts where try body.string(name, max: 1024) != nil {
          provider.members[Name(name)] = body.value(name)?.text
        }
        provider.disabledAt = try body.date("disabled_at")
        let wish = provider
        let kept = try await ask { () async throws(GatewayError) in try await setup.put(wish, at: request.receivedAt) }
        return StreamAnswer(201) { json in
          json.member("push_provider") { kept.writeMembers(to: &$0, request.dates) }
        }
      }
      + rest.resource("DELETE", .common("push_providers/{type}/{name}"), "DeletePushProvider", .server) {
        request throws(StreamError) in
        let wasThere = try await ask { () async throws(GatewayError) in
          try await setup.removeProvider(
            request.parameters["type"], request.parameters["name"], at: request.receivedAt)
        }
        guard wasThere else { throw .doesNotExist("there is no push provider of that type and name") }
        return StreamAnswer(200)
      }
  }

  // MARK: Figures

  var figureRoutes: [HTTPRoute] {
    rest.resource("GET", .video("active_calls_status"), "GetActiveCallsStatus", .server) {
      request throws(StreamError) in
      let now = request.receivedAt
      let count = try await ask { () async throws(GatewayError) in try await calls.countJoined(at: now) }
      return StreamAnswer(200) { json in
        json.member("start_time", now - .seconds(60), request.dates)
        json.member("end_time", now, request.dates)
        json.member("summary") { json in
          json.member("active_calls", Int64(count.calls))
          json.member("participants", Int64(count.participants))
          // Without media there are no publishers and subscribers.
          json.member("active_publishers", 0)
          json.member("active_subscribers", 0)
        }
      }
    }
      + rest.resource("GET", .video("stats/daily_digest"), "GetDailyDigest", .server) { request throws(StreamError) in
        try digest(request)
      }
      + rest.resource("GET", .common("rate_limits"), "GetRateLimits", .server) { request throws(StreamError) in
        try await rateLimits(request)
      }
  }

  /// Returns the digest of a day's calls; empty if nothing is known of that day.
  private func digest(_ request: StreamRequest) throws(StreamError) -> StreamAnswer {
    let yesterday = StreamDates.text(request.receivedAt - .seconds(86_400)).prefix(10)
    let date = request.http.parameter("date") ?? String(yesterday)
    guard date.utf8.count == 10, StreamDates.read(date + "T00:00:00Z") != nil else {
      throw .input("date must be a day, as 2026-08-31", field: "date")
    }
    return StreamAnswer(200) { json in
      json.member("date", date)
      json.member("status", "ready")
      json.member("call_sessions", strings: [])
      json.member("broadcasts", strings: [])
    }
  }

  /// Returns the limits of the requested operations, or of those counted in this minute; of all platforms unless some
  /// are named. Empty if nothing is limited.
  private func rateLimits(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    let platforms: [(StreamPlatform, StaticString)] = [
      (.server, "server_side"), (.ios, "ios"), (.android, "android"), (.web, "web"),
    ]
    let named = platforms.filter { request.http.parameter("\($0.1)") == "true" }
    let endpoints = (request.http.parameter("endpoints") ?? "").split(separator: ",").prefix(100).map(String.init)
    var found: [(StaticString, [(operation: String, state: StreamLimitState)])] = []
    for (platform, name) in named.isEmpty ? platforms : named {
      found.append((name, await rest.limits(of: platform, endpoints, at: request.receivedAt)))
    }
    let shown = found
    return StreamAnswer(200) { json in
      for (name, limits) in shown {
        json.member(name) { json in
          for (operation, state) in limits {
            json.name(operation)
            json.beginObject()
            json.member("limit", Int64(state.limit))
            json.member("remaining", Int64(state.remaining))
            json.member("reset", state.resetsAt)
            json.endObject()
          }
        }
      }
    }
  }
}

extension StreamPushProvider {
  /// Writes the members of the object `PushProviderResponse`.
  fileprivate func writeMembers(to json: inout JSONWriter, _ dates: StreamDates) {
    json.member("type", type)
    json.member("name", name.text)
    json.member("created_at", createdAt, dates)
    json.member("updated_at", updatedAt, dates)
    json.member("disabled_at", ifAny: disabledAt, dates)
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      json.name(name.text)
      json.raw(value)
    }
  }
}
