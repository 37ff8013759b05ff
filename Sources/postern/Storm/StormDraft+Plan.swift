import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayRuntime

extension StormDraft {
  /// Returns the plan of the scenario, if there is one, with the flags' values instead of its own.
  func planned() -> StormPlan {
    var plan = plan
    if let rate { plan.rate = rate }
    if let expiry { plan.expiry = expiry.value }
    if let expireAfter { plan.expireAfter = expireAfter.value.inSeconds }
    if let life { plan.life = life.value }
    if let jitter { plan.jitter = jitter.value }
    if let reconnects { plan.reconnects = reconnects.value }
    if let fetches { plan.fetches = fetches }
    plan.fetchRate = fetchRate
    if let connectTimeout { plan.connectTimeout = connectTimeout.value }
    plan.bound = timeout?.inSeconds
    set(&plan.gateway)
    return plan
  }

  /// Whether a flag says when tokens end.
  var saysEnds: Bool { life != nil || jitter != nil || expireAfter != nil || expiry?.value == .common }

  /// Throws if flags of a fleet that comes once are given with a scenario whose clients come and go.
  func checkArrivals() throws {
    guard plan.arrivals != nil else { return }
    let given: [(flag: String, isGiven: Bool)] = [
      ("rate", rate != nil), ("ramp", plan.ramp != .zero), ("hold", plan.hold != StormPlan().hold),
      ("expiry", expiry.map { $0.value == .common } ?? false), ("expire-after", expireAfter != nil),
      ("waves", plan.waves != 1), ("provider-only", isProviderOnly),
    ]
    guard let flag = given.first(where: \.isGiven)?.flag else { return }
    throw UsageError("--\(flag): the scenario's \"arrivals\" says when clients come and go; leave the flag out")
  }

  private func set(_ times: inout StormPlan.GatewayTimes) {
    if let refreshLead {
      times.lead = refreshLead
      times.leadSource = .told
    }
    if let refreshSpread {
      times.spread = refreshSpread
      times.spreadSource = .told
    }
    if let refreshTimeout {
      times.timeout = refreshTimeout
      times.timeoutSource = .told
    }
  }

  /// Sets the number of processes and source addresses that the fleet needs, unless flags set them.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - descriptors: The available descriptors.
  ///   - gateways: The gateways.
  ///   - parts: The number of processes, if another process chose it.
  func fit(_ plan: inout StormPlan, in descriptors: StormRoom, gateways: [StormAddress], parts: Int?) throws {
    let room = try descriptors.clients(beside: mints ? 0 : plan.fetches)
    let needed = (plan.clients + room - 1) / room
    plan.processes = parts ?? processes ?? max(needed, workers.addresses.count)
    guard plan.processes >= needed else {
      throw UsageError(
        "--processes \(plan.processes) is too few: the limit of descriptors lets a process have \(room) clients, so "
          + "\(plan.clients) need \(needed)")
    }
    // An address has 28,000 ports by default, and each request to the provider also occupies one for a while.
    // The port of a client that has left is taken for another minute.
    let leaving = plan.arrivals == nil ? 0 : Int(min(plan.pacer.rate * 60, Double(plan.people)))
    let ports = plan.clients + leaving
    let most = Self.clientsOfAnAddress
    let usual = Self.areLoopback(gateways) && ports > most ? min(254, 1 + ports / most) : 0
    plan.sources = sources?.value ?? (plan.usersPerAddress == nil ? usual : 0)
  }

  /// The clients of one source address, unless a flag says otherwise.
  static let clientsOfAnAddress = 5_000

  static func areLoopback(_ gateways: [StormAddress]) -> Bool {
    gateways.map(\.target.host).allSatisfy { $0.hasPrefix("127.") || $0 == "localhost" }
  }
}
