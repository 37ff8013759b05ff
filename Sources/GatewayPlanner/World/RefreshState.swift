internal import GatewayCore
internal import GatewayFleet

/// The refresh tokens of a world: the provider's families, the devices' jars, and the requests that wait for another one.
/// Empty if no refresh tokens rotate.
struct RefreshState {
  /// A client's request that takes the result of another one.
  struct Follower {
    let client: Int
    let number: UInt32
    let purpose: FetchPurpose
  }

  let plan: GrantPlan
  private let policy: RotationPolicy
  /// How long a client waits for an answer.
  private let patience: Duration
  var jars: [TokenJar]
  private var families: [TokenFamily]
  /// The first generation of each device's latest login. Earlier generations belong to families that are over.
  private var bases: [UInt32]
  /// Whether a request is under way, and what waits for it, by the number of the flight.
  private var isPending: [Bool] = []
  private var followers: [Int: [Follower]] = [:]

  init(_ policy: RotationPolicy, of fleet: StormPlan) {
    let clients = fleet.clients
    plan = Self.grants(policy, of: fleet)
    patience = fleet.fetchTimeout
    self.policy = policy
    let devices = plan.devices(of: clients)
    jars = Array(repeating: TokenJar(), count: devices)
    families = Array(repeating: TokenFamily(generation: 0, at: .zero), count: devices)
    bases = Array(repeating: 0, count: devices)
    if let last = plan.flight(of: clients - 1) { isPending = Array(repeating: false, count: last + 1) }
  }

  /// Returns how the clients of a fleet share refresh tokens: each has its own unless the plan says otherwise. All know
  /// how long one may be unused.
  private static func grants(_ policy: RotationPolicy, of fleet: StormPlan) -> GrantPlan {
    var grants = fleet.grants ?? GrantPlan()
    grants.idle = policy.idle?.inSeconds
    return grants
  }

  /// Returns the number of bytes of a world with that many clients.
  static func bytes(_ plan: GrantPlan, clients: Int) -> UInt64 {
    let device = MemoryLayout<TokenJar>.stride + MemoryLayout<TokenFamily>.stride + MemoryLayout<UInt32>.stride
    return UInt64(plan.devices(of: clients)) * UInt64(device) + UInt64(clients)
  }

  /// Returns whether a client's device is signed out permanently.
  func isSignedOut(_ client: Int) -> Bool { jars[plan.device(of: client)].isSignedOut }

  // MARK: The provider

  /// Starts a family for a device's login. Returns the generation of its token.
  mutating func begin(_ client: Int, at now: Int64) -> UInt32 {
    let device = plan.device(of: client)
    let family = families[device]
    // Tabs that log in at once get a family each, all alike: the device keeps one.
    let isFresh = family.isUnused && Instant(nanoseconds: now) - family.madeAt < patience
    if family.newest == 0 || family.isRevoked || !isFresh, family.newest < .max {
      families[device] = TokenFamily(generation: family.newest + 1, at: Instant(nanoseconds: now))
      bases[device] = families[device].newest
    }
    return families[device].newest
  }

  /// Uses a refresh token, and ends all families of its user if the policy says so. Returns the generation of the next
  /// token; nil if it is refused.
  mutating func use(
    _ generation: UInt32, of client: Int, at now: Int64, _ figures: inout RotationFigures
  ) -> UInt32? {
    let device = plan.device(of: client)
    guard generation >= bases[device] else { return nil }
    let verdict = families[device].show(generation, at: Instant(nanoseconds: now), by: policy)
    figures.count(verdict)
    switch verdict {
    case .rotated(let next), .replayed(let next): return next
    case .refused: return nil
    case .revoked:
      figures.familiesRevoked += 1
      guard policy.revokes == .user else { return nil }
      let first = plan.user(of: client) * plan.devices
      for other in first..<min(first + plan.devices, families.count) where !families[other].isRevoked {
        families[other].revoke()
        if families[other].newest > 0 { figures.familiesRevoked += 1 }
      }
      return nil
    }
  }

  // MARK: Flights

  /// Returns whether another request is in flight; the client then waits for its result.
  mutating func joins(_ client: Int, _ number: UInt32, _ purpose: FetchPurpose) -> Bool {
    guard let flight = plan.flight(of: client) else { return false }
    guard isPending[flight] else {
      isPending[flight] = true
      return false
    }
    followers[flight, default: []].append(Follower(client: client, number: number, purpose: purpose))
    return true
  }

  /// Ends the request of a client's flight. Returns what has waited for it.
  mutating func land(_ client: Int) -> [Follower] {
    guard let flight = plan.flight(of: client) else { return [] }
    isPending[flight] = false
    return followers.isEmpty ? [] : followers.removeValue(forKey: flight) ?? []
  }
}
