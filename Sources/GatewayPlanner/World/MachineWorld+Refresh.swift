internal import GatewayCore
internal import GatewayFleet

// Refresh tokens that rotate: what a request shows, and what its answer means to the device.

extension MachineWorld {
  /// Decides whether a client asks the provider. Returns the answer if it is known without a request, and whether the
  /// client waits for the request of another one.
  mutating func joins(_ index: Int, _ number: UInt32, _ purpose: FetchPurpose) -> (answer: ProviderAnswer?, waits: Bool)
  {
    if case .hopelessRefresh = purpose { return (nil, false) }
    let isHammering = machines[index].client.behaviour == .hammering
    if refresh?.isSignedOut(index) == true, !isHammering { return (.refused(status: 400), false) }
    return (nil, refresh?.joins(index, number, purpose) ?? false)
  }

  /// Ends the flight of a request that is not made. Nobody waits for it yet. Returns the answer.
  mutating func release(_ index: Int, _ purpose: FetchPurpose, _ answer: ProviderAnswer) -> ProviderAnswer {
    if case .hopelessRefresh = purpose { return answer }
    _ = refresh?.land(index)
    return answer
  }

  /// Puts the device's refresh token into a request.
  mutating func show(in request: inout TokenRequest) {
    guard refresh != nil, request.call >= 0, let device = refresh?.plan.device(of: index(request.client)) else {
      return
    }
    request.generation = refresh?.jars[device].token ?? 0
    guard request.generation > 0 else { return }
    request.isShownAgain = refresh?.jars[device].show(by: index(request.client)) ?? false
    if request.isShownAgain { ledger.refreshTokenShownAgain() }
  }

  /// Gives a device its first refresh token without a request.
  mutating func hold(_ index: Int) {
    guard let device = refresh?.plan.device(of: index), refresh?.jars[device].token == 0 else { return }
    let generation = refresh?.begin(index, at: now) ?? 1
    if refresh?.jars[device].received(generation, at: Instant(nanoseconds: now)) == true { ledger.deviceBegan() }
  }

  /// Commits the rotation of a token that is made. Returns false if the refresh token is refused.
  mutating func rotate(_ request: inout TokenRequest) -> Bool {
    guard refresh != nil, request.client != TokenRequest.nobody else { return true }
    let client = index(request.client)
    let next =
      request.generation == 0
      ? refresh?.begin(client, at: now)
      : refresh?.use(request.generation, of: client, at: now, &provider.rotation)
    request.successor = next ?? 0
    return next != nil
  }

  /// Notes the answer to a request for its device. Returns its meaning for the client.
  mutating func heed(_ answer: ProviderAnswer, _ request: TokenRequest) -> ProviderAnswer {
    guard let plan = refresh?.plan, request.call >= 0 else { return answer }
    let device = plan.device(of: index(request.client))
    let instant = Instant(nanoseconds: now)
    switch answer {
    case .token:
      if refresh?.jars[device].received(request.successor, at: instant) == true { ledger.deviceBegan() }
    case .refused where request.generation > 0:
      let refusal = refresh?.jars[device].refused(request.generation, plan, at: instant) ?? .already
      ledger.refreshTokenRefused(refusal, isShownAgain: request.isShownAgain)
      if refusal == .superseded { return .failed("superseded") }
    case .failed: refresh?.jars[device].unanswered(request.generation)
    case .busy, .refused, .denied: break
    }
    return answer
  }

  /// Gives the answer to a request to the clients that have waited for it.
  ///
  /// - Parameters:
  ///   - followers: The clients that waited for it.
  ///   - answer: The answer.
  ///   - leader: The client of the request. It has asked for something else by now, if it waits too.
  mutating func deliver(_ followers: [RefreshState.Follower], _ answer: ProviderAnswer, leader: Int) {
    for follower in followers where machines[follower.client].client.isWaiting(forFetch: follower.number) {
      if takes(answer, follower, leader: leader) {
        tell(follower.client, .fetched(number: follower.number, answer))
      } else if let event = ask(follower.client, follower.number, follower.purpose) {
        tell(follower.client, event)
      }
    }
  }

  /// Returns whether an answer serves a client that has waited for it. A token does. Any other answer serves other
  /// clients than the leader alone.
  func takes(_ answer: ProviderAnswer, _ follower: RefreshState.Follower, leader: Int) -> Bool {
    if case .token = answer { return true }
    return follower.client != leader
  }
}
