import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer

// The settings that the gateway's control port tells before the storm.

extension StormOptions {
  private static let patience = Duration.seconds(5)

  /// Reads the gateways' settings from the control ports of the command line, and uses them. Throws if a control port
  /// does not answer, or is not one.
  mutating func readSettings() async throws {
    guard fleets.isEmpty else { return try await readSettingsOfFleets() }
    for control in controls { try await readSettings(of: control) }
  }

  private mutating func readSettings(of control: StormAddress) async throws {
    let address = control.text(scheme: "http", defaultPath: "")
    let answer = try await ask(.get("/settings"), of: control)
    switch answer.status {
    case 200:
      let coder = JSONCoder(names: .snakeCase)
      guard let description = try? coder.decode(GatewayDescription.self, from: answer.body) else {
        caveats.append("\(address)/settings is not as documented: the storm goes by what it was told")
        return
      }
      try settings == nil ? adopt(description) : compare(description, of: address)
    case 401, 403:
      throw UsageError("--control-url: \(address) wants a secret: --control-secret-file (it answered \(answer.status))")
    default:
      guard try await ask(.get("/metrics"), of: control).status == 200 else {
        throw UsageError("--control-url: \(address) is no control port: GET /settings was answered \(answer.status)")
      }
      caveats.append("\(address) tells no settings: the storm goes by what it was told")
    }
  }

  /// Returns the control port's answer.
  func ask(_ request: HTTPRequest, of control: StormAddress) async throws -> HTTPResponse {
    var request = request
    let below = control.path ?? ""
    request.path = (below.hasSuffix("/") ? String(below.dropLast()) : below) + request.path
    if let controlSecret {
      request.headers.append(HTTPField("authorization", "Bearer \(controlSecret.token)"))
    }
    if let mark { request = mark.marked(request) }
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let result = await Task(executorPreference: loop.events) { [request] in
      await SocketDialer(on: loop).fetch(request, from: control.target, timeout: Self.patience)
    }.value
    switch result {
    case .success(let response): return response
    case .failure(let failure):
      let address = control.text(scheme: "http", defaultPath: "")
      let unreachable = ControlUnreachable(address: address, failure: failure, patience: Self.patience)
      throw UsageError("--control-url: \(unreachable)")
    }
  }

  /// Reports how another gateway's settings differ from the first one's, as far as the storm uses them.
  private mutating func compare(_ description: GatewayDescription, of address: String) {
    checkRoom(of: description)
    let times = [settings, description].map { settings in
      settings?.dialects.first { Name($0.name) == Name(plan.dialect) }
        .map { [$0.refreshLeadS, $0.refreshSpreadS, $0.refreshTimeoutS] }
    }
    guard times[0] != times[1] else { return }
    caveats.append("\(address) has another lead, spread or timeout than the first gateway, by which the storm goes")
  }

  /// Says if a gateway takes fewer connections than it gets clients.
  private mutating func checkRoom(of description: GatewayDescription) {
    // The clients of several fleets are counted together.
    guard plan.fleet == nil else { return }
    caveats += Self.roomCaveats(plan.clients, gateways: gateways.count, description)
  }

  /// Returns the caveat that a gateway takes fewer connections than it gets of that many clients, which are dealt evenly.
  static func roomCaveats(_ clients: Int, gateways: Int, _ description: GatewayDescription) -> [String] {
    let each = (clients + gateways - 1) / gateways
    guard each > description.limits.connectionsMax else { return [] }
    return [
      "\(Figures.count(each)) clients\(gateways == 1 ? "" : " for each gateway"), but the gateway takes "
        + "\(Figures.count(description.limits.connectionsMax)) connections at most (--connections-max)"
    ]
  }

  /// Uses the gateway's own settings. Each flag that they contradict becomes a caveat.
  mutating func adopt(_ description: GatewayDescription) throws {
    settings = description
    checkRoom(of: description)
    guard let dialect = description.dialects.first(where: { Name($0.name) == Name(plan.dialect) }) else {
      caveats.append("the gateway's settings name no dialect \(plan.dialect)")
      return
    }
    adopt(dialect.refreshLeadS, "--refresh-lead", \.lead, \.leadSource)
    adopt(dialect.refreshSpreadS, "--refresh-spread", \.spread, \.spreadSource)
    adopt(dialect.refreshTimeoutS, "--refresh-timeout", \.timeout, \.timeoutSource)
    do {
      try plan.check()
      if plan.fleet == nil { _ = try scenario?.times(of: plan) }
    } catch {
      throw UsageError("\(error) (the gateway's own lead, spread and timeout)")
    }
  }

  private mutating func adopt(
    _ seconds: Double, _ flag: String, _ time: WritableKeyPath<StormPlan.GatewayTimes, Duration>,
    _ source: WritableKeyPath<StormPlan.GatewayTimes, StormPlan.GatewayTimes.Source>
  ) {
    // A gateway that tells nonsense is not believed.
    guard (0...Self.longest).contains(seconds) else { return }
    let told = plan.gateway[keyPath: time]
    if plan.gateway[keyPath: source] == .told, abs(told.inSeconds - seconds) > 0.001 {
      caveats.append(
        "told \(flag) \(Figures.duration(told)), but the gateway's own is \(Figures.duration(.seconds(seconds))): "
          + "the storm goes by the gateway's")
    }
    plan.gateway[keyPath: time] = .nanoseconds(Int64(seconds * 1e9))
    plan.gateway[keyPath: source] = .gateway
  }

  /// Thirty days, in seconds.
  private static let longest = 30 * 86_400.0
}
