internal import GatewayCore
internal import GatewayJSON

// Guests, and the settings of the application.

extension StreamUserRoutes {
  /// The topic of notes that the application's hooks have changed.
  static let hooksTopic = "stream.hooks"

  var guests: [HTTPRoute] {
    rest.resource("POST", .common("guest"), "CreateGuest", .open) { request throws(StreamError) in
      try await makeGuest(request)
    }.map(\.givingTokens)
  }

  /// Throws if there were too many guests from the request's address recently. Servers have no such limit.
  private func checkQuota(_ request: StreamRequest) async throws(StreamError) {
    guard let wait = await keeper.take(request.http.peer, at: request.receivedAt) else { return }
    do throws(StreamError) {
      _ = try await rest.caller(of: request.http, .server)
    } catch {
      var refusal = StreamError.rateLimit("Too many guests from this address")
      refusal.retryAfter = wait
      throw refusal
    }
  }

  /// Creates a guest with a unique name and a token, for any client.
  private func makeGuest(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    guard let body = try request.body.object("user") else { throw .input("user is a required field", field: "user") }
    let wish = try body.requiredString("id", max: 200)
    _ = try StreamUser.checkedID(wish)
    let change = try StreamUserChange(body, isFlat: request.family.flattensCustom, mayNameRole: false)
    guard try await !rest.appSettings().disablesGuestCreation else {
      throw .notAllowed("guest user creation is disabled")
    }
    let application = try rest.settings.applications.application(request.caller.apiKey)
    try await checkQuota(request)
    await keeper.sweep(on: rest.services)
    let id = StreamGuestID.make(wish: wish, high: await word(), low: await word())
    let user = try await rest.update(id, creates: true, at: request.receivedAt) { (user, _) throws(GatewayError) in
      user.role = StreamRole.guest.name
      try change.apply(to: &user)
    }
    let token = StreamTokenIssuer(signer: application.signer).mint(
      user: id, kind: .guest, issuedAt: request.receivedAt,
      expiresAt: rest.settings.guestLife.map { request.receivedAt + $0 }, calls: nil)
    return StreamAnswer(201) { json in
      json.member("user") { user.writeFullMembers(to: &$0, request.family, isOnline: false) }
      json.member("access_token", token.token)
    }
  }

  func word() async -> UInt64 { await rest.word() }

  var application: [HTTPRoute] {
    rest.resource("GET", .common("app"), "GetApp", .user) { request throws(StreamError) in
      let settings = try await rest.appSettings()
      return StreamAnswer(200) { $0.member("app") { settings.writeMembers(to: &$0, request.dates) } }
    }
      + rest.resource("PATCH", .common("app"), "UpdateApp", .server) { request throws(StreamError) in
        try await updateApplication(request)
      }
  }

  private func updateApplication(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    var change = StreamAppChange()
    change.namesRevocation = request.body.has("revoke_tokens_issued_before")
    change.revokesTokensIssuedBefore = try request.body.date("revoke_tokens_issued_before")
    change.disablesGuestCreation = try request.body.bool("guest_user_creation_disabled")
    change.disablesAuthChecks = try request.body.bool("disable_auth_checks")
    let views = try request.body.array("event_hooks", count: StreamEventHooks.countMax)
    let namesOlder = request.body.has("webhook_url") || request.body.has("webhook_events")
    if views != nil || namesOlder {
      var all = try await rest.appSettings().eventHooks
      if let views {
        all.hooks = try StreamEventHook.read(views, replacing: all.hooks, from: rest.secrets, at: request.receivedAt)
      }
      if namesOlder { all.older = try StreamOlderWebhook.read(request.body, replacing: all.older) }
      all.apiKey = request.caller.apiKey
      change.eventHooks = all
    }
    do throws(GatewayError) {
      let settings = try await rest.directory.updateSettings(change, at: request.receivedAt)
      if change.eventHooks != nil {
        rest.directory.webhooks?.take(settings.eventHooks)
        rest.services.tellOthers(VendorNote(Self.hooksTopic, ""))
      }
    } catch {
      throw StreamError(error)
    }
    if let limit = change.revokesTokensIssuedBefore {
      await rest.endSessions(of: nil, issuedBefore: limit)
    }
    return StreamAnswer(200)
  }
}
