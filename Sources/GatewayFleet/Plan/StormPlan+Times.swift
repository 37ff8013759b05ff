internal import GatewayCore

extension StormPlan {
  /// Throws an error if the plan cannot be carried out.
  ///
  /// - Parameter millions: The maximum number of clients, in millions.
  package func check(millions: Int = 1) throws(StormPlanError) {
    let clientsMax = millions * 1_000_000
    let most = "\(millions),000,000"
    try require((1...clientsMax).contains(clients), "the number of clients must be 1 to \(most), not \(clients)")
    try require(
      rate > 0 && rate <= Double(clientsMax), "the rate must be above 0 and at most \(most) per second, not \(rate)")
    try require(ramp >= .zero, "the ramp must not be negative")
    try require(hold >= .zero, "the hold must not be negative")
    try require(life > .zero, "tokens must live longer than 0 s")
    try require((0...1).contains(jitter), "the jitter is a share of the token's life, 0 to 1, not \(jitter)")
    try require((1...1000).contains(waves), "the number of waves must be 1 to 1000, not \(waves)")
    try require(comeback >= .zero, "the time to come back must not be negative")
    try require(
      backoff.base > .zero && backoff.cap >= backoff.base,
      "clients must wait longer than 0 s before they try again, and at most as long as the cap, which is no shorter")
    if let fault = retry?.fault { throw StormPlanError(fault) }
    try require((1...1_000_000).contains(loginTries), "the tries of a login must be 1 to 1,000,000, not \(loginTries)")
    try require(slowDelay >= .zero, "the slow clients' delay must not be negative")
    try require((0...254).contains(sources), "the number of source addresses must be 0 to 254, not \(sources)")
    try require(
      hammerPause.map { (0...86_400).contains($0) } ?? true, "hammering clients must pause for 0 to 86,400 s")
    try require(
      usersPerAddress.map { $0 > 0 } ?? true, "the number of users behind one address must be at least 1")
    try require(
      grants.map { GrantPlan.sharers.contains($0.devices) && GrantPlan.sharers.contains($0.tabs) } ?? true,
      "a user has 1 to 1000 devices, and a device 1 to 1000 tabs")
    try require((1...64).contains(processes), "the number of processes must be 1 to 64, not \(processes)")
    try require((1...64).contains(loops), "the number of loops must be 1 to 64, not \(loops)")
    try require((1...60_000).contains(fetches), "requests to the provider at once must be 1 to 60,000, not \(fetches)")
    try require(
      fetchRate.map { (0.001...1_000_000).contains($0) } ?? true,
      "requests to the provider a second must be above 0 and at most 1,000,000")
    try require(fetchTimeout > .zero && connectTimeout > .zero, "timeouts must be longer than 0 s")
    // If a wire has no answer to a refresh request, the gateway says 0.
    let isTimeout = gateway.timeout > .zero || (gateway.timeout == .zero && gateway.timeoutSource == .gateway)
    try require(
      gateway.lead >= .zero && gateway.spread >= .zero && isTimeout,
      "the gateway's lead and spread must not be negative, and its timeout must be longer than 0 s")
    try require(bound.map { $0 > 0 && $0.isFinite } ?? true, "the storm must be allowed to last longer than 0 s")
    try checkArrivals(clientsMax)
    try require(
      loginsEnd <= Self.longestLogins,
      "the last client would connect \(Int(loginsEnd.inSeconds / 86_400)) days after the first; raise the rate")
    if expiry == .common {
      try require(
        expiresAfter >= loginsEnd,
        "the first tokens would expire after \(expiresAfter.inSeconds) s, while clients still connect until "
          + "\(loginsEnd.inSeconds) s; expire later, or raise the rate"
          + (loginsEnd > pacer.duration ? " of requests to the provider" : ""))
    }
  }

  /// Ten years, which is far below the limit of 64 bits of nanoseconds.
  private static let longestLogins = Duration.seconds(3_650 * 86_400)

  private func require(_ condition: Bool, _ message: String) throws(StormPlanError) {
    guard condition else { throw StormPlanError(message) }
  }

  /// The times at which clients begin to connect.
  package var pacer: ArrivalPacer {
    arrivals.map(ArrivalPacer.init) ?? ArrivalPacer(count: clients, rate: rate, ramp: ramp)
  }

  /// The time at which the last client can have its first token from a provider without latency. It is the end of the
  /// ramp, or later if the rate of requests to the provider is the limit.
  private var loginsEnd: Duration {
    max(pacer.duration, fetchRate.map { Duration.nanoseconds(Int64(min(Double(clients) / $0 * 1e9, 9e18))) } ?? .zero)
  }

  /// The time at which the first tokens begin to expire, counted from the start.
  package var expiresAfter: Duration {
    switch expiry {
    case .common: expireAfter.map { .saturating(seconds: $0) } ?? loginsEnd + hold
    case .own: life
    }
  }

  /// The time until which clients stay connected if nothing must be renewed, counted from the start. It follows the
  /// hold, whatever the life of tokens that clients have chosen or an endpoint gave.
  package var heldUntil: Duration { expiry == .common ? expiresAfter : loginsEnd + hold }

  /// The expected time of the gateway's first refresh request, counted from the start.
  package var onset: Duration {
    max(.zero, expiresAfter - gateway.lead - gateway.spread)
  }

  /// The time by which the last client must be refreshed or closed, counted from the start; at most the bound.
  package var end: Duration { end(timeout: nil) }

  /// Returns the same for a timeout that the gateway announced. A shorter one than the plan's does not shorten the
  /// storm.
  package func end(timeout: Duration?) -> Duration {
    if let arrivals { return .saturating(seconds: min(arrivals.length, bound ?? arrivals.length)) }
    let laterWaves = life.scaled(by: Double(waves - 1))
    let patience = max(gateway.timeout, timeout ?? .zero, comeback, reconnects ? Self.usualComeback : .zero)
    let settled = expiresAfter + scattered + laterWaves + patience + Self.settleSlack
    return bound.map { min(settled, .saturating(seconds: $0)) } ?? settled
  }

  /// Returns the time that all waves together may take, from the first refresh request until the last client has
  /// answered or is closed. Each wave has the gateway's spread, the scatter of the tokens' lives, and the timeout or,
  /// if longer, the time for clients that come back by themselves. An announced timeout replaces the plan's. The lead
  /// is not part of it: it moves the wave but does not widen it.
  package func given(timeout: Duration?) -> Duration {
    let announced = timeout ?? gateway.timeout
    // A request announces the time that is left when it is sent, which is slightly less than the setting.
    let isOther = abs((announced - gateway.timeout).inSeconds) > 1
    return (gateway.spread + scattered + max(isOther ? announced : gateway.timeout, comeback)).scaled(by: Double(waves))
  }

  /// The time within which the first tokens of all clients expire.
  private var scattered: Duration {
    life.scaled(by: jitter) + (expiry == .own ? loginsEnd : .zero)
  }

  /// The time allowed for clients that come back because the plan orders it.
  private static let usualComeback = Duration.seconds(60)

  /// How long after the gateway's timeout the storm waits for pending work, such as closing handshakes.
  private static let settleSlack = Duration.seconds(10)

  /// The number of addresses from which clients connect; 0 for the system's choice.
  package var addresses: Int {
    guard sources == 0, let usersPerAddress, usersPerAddress > 0 else { return sources }
    return (clients - 1) / usersPerAddress + 1
  }

  /// The maximum number of addresses of a storm over sockets: 127.0.0.1 to 127.0.0.254.
  package static let addressesMax = 254

  /// Returns the source address of client number `index`; nil for the system's choice. A storm over sockets checks that
  /// there are at most ``addressesMax``.
  package func source(of index: Int) -> String? {
    let addresses = min(addresses, Self.addressesMax)
    guard addresses > 0 else { return nil }
    return "127.0.0.\(1 + ((fleet?.firstAddress ?? 0) + index % addresses) % Self.addressesMax)"
  }
}
