package import GatewayCore
package import GatewayTokens

/// The built-in token provider, which mints tokens with the latency, concurrency and failure rate of its policy. With
/// 200 ms for each token and ten at once it mints 50 a second.
///
/// The whole gateway has one queue, so the provider runs on one executor. A caller that disconnects while it waits uses
/// its turn, or none, as the policy says; other callers are not affected.
package actor TokenProvider {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  package nonisolated let policy: TokenProviderPolicy
  /// The schemes whose tokens it mints, the gateway's own first.
  package nonisolated let schemes: [String]
  package private(set) var figures = TokenProviderFigures()

  private let executor: any SerialExecutor
  private let services: any GatewayServices
  private let issuer: any TokenIssuer
  private let vendors: [String: any TokenIssuer]
  private let minting: (any TokenMinting)?
  /// The requests that wait for a turn, from index ``firstWaiting`` on, in the order of arrival.
  private var waiting: [Waiting] = []
  private var firstWaiting = 0

  /// The limits on requests, with what they have counted. Requests are counted before their orders are read.
  private var budgets: RequestBudgets

  /// The refresh tokens that it has given; nil if it gives none.
  private var refreshTokens: RefreshTokens?

  /// The users whose tokens are being minted, each with their number.
  private var making: [UserID: Int] = [:]

  /// The users whose tokens are being minted or wait for their turn.
  package var waitingUsers: Set<UserID> {
    Set(making.keys).union(waiting[firstWaiting...].map(\.user))
  }

  private struct Waiting {
    let user: UserID
    let turn: CheckedContinuation<Void, Never>
    let since: WallTime
  }

  /// The wait so far of the request that has waited longest; zero if none waits.
  package var longestWait: Duration {
    firstWaiting < waiting.count ? max(.zero, services.wallTime - waiting[firstWaiting].since) : .zero
  }

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - executor: A loop of the gateway, from which `GatewayServices.sleep(for:as:)` may be called.
  ///   - vendors: The issuers of other schemes' tokens, by scheme.
  ///   - minting: The layer between an order and its issuer; nil for none.
  ///   - secrets: The source of refresh tokens.
  package init(
    on executor: any SerialExecutor, policy: TokenProviderPolicy, services: any GatewayServices,
    issuer: any TokenIssuer, vendors: [String: any TokenIssuer] = [:], minting: (any TokenMinting)? = nil,
    secrets: Secrets
  ) {
    self.executor = executor
    self.policy = policy
    budgets = RequestBudgets(policy.budgets)
    refreshTokens = policy.rotation.map { RefreshTokens($0, secrets: secrets) }
    figures.rotation = policy.rotation == nil ? nil : RotationFigures()
    self.services = services
    self.issuer = issuer
    self.vendors = vendors
    self.minting = minting
    schemes = ["plain"] + vendors.keys.sorted()
  }

  /// Checks the provider's secret in `Authorization: Bearer`. Accepts every request if no secret is configured. Throws
  /// `GatewayError.credentialsMissing`, or `GatewayError.notPermitted` if the provider is off.
  package nonisolated func admit(_ request: HTTPRequest) throws(GatewayError) {
    guard !policy.isOff else {
      throw .notPermitted.detailed(
        "tokens come from the application's own login; --provider-secret-file lets this provider mint too")
    }
    guard let secret = policy.secret else { return }
    guard ConstantTime.areEqual(Array(secret.token.utf8), Array((request.bearerToken ?? "").utf8)) else {
      throw .credentialsMissing.detailed("the token provider wants its secret as Authorization: Bearer")
    }
  }

  /// The web pages that may ask for tokens. Without a secret any caller can get a token of any user.
  package nonisolated var pages: PageAccess { policy.secret == nil ? .own : .named }

  /// Returns the ordered token after its turn in the queue and the policy's latency. Throws `GatewayError.overloaded`
  /// at once if the queue is full, and `GatewayError.providerFailure` at the policy's failure rate.
  package func mint(_ order: TokenOrder) async throws(TokenRefusal) -> MintedToken {
    let token = try await make(order)
    guard policy.repliesLost > 0, await services.nextShare() < policy.repliesLost else { return token }
    figures.rotation?.repliesLost += 1
    await services.sleep(for: Self.patience, as: "the token provider's lost answer")
    throw TokenRefusal(.overloaded)
  }

  /// The wait before a request whose answer is lost is refused after all. Its caller has gone by then.
  private static let patience = Duration.seconds(900)

  /// Returns the order of a request with a refresh token; nil if the token is none of a known login.
  package func order(refreshing token: Credentials) -> TokenOrder? {
    guard var order = refreshTokens?.read(token.token)?.order else { return nil }
    order.refreshToken = token
    return order
  }

  /// Counts a refresh token of no known login. Returns its refusal.
  package func deny() -> TokenRefusal {
    figures.count(.denied(TokenRefusal.invalidGrant.error))
    return .invalidGrant
  }

  private func make(_ order: TokenOrder) async throws(TokenRefusal) -> MintedToken {
    note(.asked, order)
    try await enter(order)
    making[order.user, default: 0] += 1
    defer {
      making[order.user] = making[order.user].flatMap { $0 > 1 ? $0 - 1 : nil }
      leave()
    }
    if policy.latency > .zero { await services.sleep(for: policy.latency, as: "the token provider's latency") }
    if policy.failureRate > 0, await services.nextShare() < policy.failureRate {
      note(.failed(.providerFailure), order)
      throw TokenRefusal(.providerFailure)
    }
    let issuer = order.scheme.flatMap { vendors[$0] } ?? issuer
    var token: MintedToken
    if let minting {
      do throws(TokenRefusal) {
        token = try await minting.mint(
          order, with: issuer, at: services.wallTime, defaultLife: policy.defaultLife)
      } catch {
        note(.failed(error.error), order)
        throw error
      }
    } else {
      token = issuer.mint(order, at: services.wallTime, defaultLife: policy.defaultLife)
    }
    try rotate(order, &token)
    note(.minted, order)
    if HTTPCall.caller?.hasGone == true { figures.mintedForNobody += 1 }
    return token
  }

  /// Adds the refresh token to a new token. Throws the refusal of the refresh token that the order presents.
  private func rotate(_ order: TokenOrder, _ token: inout MintedToken) throws(TokenRefusal) {
    guard refreshTokens != nil, order.kind != .anonymous else { return }
    let now = Instant(nanoseconds: services.wallTime.nanoseconds)
    if let shown = order.refreshToken {
      token.refreshToken = refreshTokens?.read(shown.token).flatMap { refreshTokens?.use($0, at: now) }
    } else {
      token.refreshToken = refreshTokens?.begin(order, at: now)
    }
    let lost = figures.rotation?.repliesLost ?? 0
    figures.rotation = refreshTokens?.figures
    figures.rotation?.repliesLost = lost
    guard token.refreshToken == nil else { return }
    note(.denied(TokenRefusal.invalidGrant.error), order)
    throw .invalidGrant
  }

  /// Counts a request in every budget, before anything else is known of it. Throws the refusal of a budget that is used
  /// up.
  ///
  /// - Parameters:
  ///   - user: The user that the request names, even if there can be no such user; nil if it names none.
  ///   - address: The caller's address as budgets count it; nil if it is unknown.
  ///   - isRenewal: Whether the request shows a refresh token; nil if the provider gives none.
  package func spend(user: Name?, address: Name?, isRenewal: Bool? = nil) async throws(TokenRefusal) {
    guard !budgets.isEmpty else { return }
    let now = services.wallTime
    guard
      let refusal = budgets.judge(
        user: user?.budgetKey, address: address?.budgetKey, isRenewal: isRenewal,
        at: Instant(nanoseconds: now.nanoseconds))
    else { return }
    let error = refusal.error
    for record in [.asked, refusal.isBan ? ProviderRecord.banned(error) : .limited(error)] {
      figures.count(record)
      if let user, user.text.utf8.count <= UserID.lengthMax { services.note(record, for: UserID(user)) }
    }
    let share = refusal.isDrawn ? await services.nextShare() : 0
    if policy.refusalLatency > .zero {
      await services.sleep(for: policy.refusalLatency, as: "the token provider's refusal")
    }
    throw TokenRefusal(error, status: refusal.status, retryAfter: RetryAdvice(refusal, share: share, at: now))
  }

  private func note(_ record: ProviderRecord, _ order: TokenOrder) {
    figures.count(record)
    services.note(record, for: order.user)
  }

  private func enter(_ order: TokenOrder) async throws(TokenRefusal) {
    if figures.inFlight < policy.concurrency ?? .max {
      figures.inFlight += 1
      figures.inFlightPeak = max(figures.inFlightPeak, figures.inFlight)
      return
    }
    guard figures.queued < policy.queueMax else {
      let refusal = GatewayError.overloaded.detailed("\(policy.queueMax) requests wait for the token provider already")
      note(.refused(refusal), order)
      throw TokenRefusal(refusal)
    }
    figures.queued += 1
    figures.queuedPeak = max(figures.queuedPeak, figures.queued)
    // A request that ends passes its place on, so the number in flight stays the same.
    let since = services.wallTime
    await withCheckedContinuation { waiting.append(Waiting(user: order.user, turn: $0, since: since)) }
    guard policy.abandoned == .drop, HTTPCall.caller?.hasGone == true else { return }
    leave()
    let refusal = GatewayError.overloaded.detailed("nobody waits for the token any more")
    figures.dropped += 1
    note(.refused(refusal), order)
    throw TokenRefusal(refusal)
  }

  private func leave() {
    guard firstWaiting < waiting.count else {
      figures.inFlight -= 1
      return
    }
    let next = waiting[firstWaiting]
    firstWaiting += 1
    if firstWaiting * 2 > waiting.count {
      waiting.removeFirst(firstWaiting)
      firstWaiting = 0
    }
    figures.queued -= 1
    next.turn.resume()
  }
}
