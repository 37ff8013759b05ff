import Foundation
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayRuntime
import GatewayServer

// What the gateway's control port tells before the storm.

extension StormOptions {
  private static let patience = Duration.seconds(5)

  /// Asks the control port, if one is named, for the gateway's settings, and goes by them. Throws if nobody is there, or
  /// if it is no control port.
  mutating func readSettings() async throws {
    guard let control else { return }
    let address = control.text(scheme: "http", defaultPath: "")
    let answer = try await fetch("/settings", from: control, address)
    switch answer.status {
    case 200:
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      guard let description = try? decoder.decode(GatewayDescription.self, from: Data(answer.body)) else {
        caveats.append("\(address)/settings is not as documented: the storm goes by what it was told")
        return
      }
      try adopt(description)
    case 401, 403:
      throw UsageError("--control-url: \(address) wants a secret: --control-secret-file (it answered \(answer.status))")
    default:
      guard try await fetch("/metrics", from: control, address).status == 200 else {
        throw UsageError("--control-url: \(address) is no control port: GET /settings was answered \(answer.status)")
      }
      caveats.append("\(address) tells no settings: the storm goes by what it was told")
    }
  }

  private func fetch(_ path: String, from control: StormAddress, _ address: String) async throws -> HTTPResponse {
    var request = HTTPRequest(method: "GET", path: path)
    if let controlSecret {
      request.headers.append(HTTPField("authorization", "Bearer \(controlSecret.token)"))
    }
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let result = await Task(executorPreference: loop.events) { [request] in
      await SocketDialer(on: loop).fetch(request, from: control.target, timeout: Self.patience)
    }.value
    switch result {
    case .success(let response): return response
    case .failure(let failure):
      let unreachable = ControlUnreachable(address: address, failure: failure, patience: Self.patience)
      throw UsageError("--control-url: \(unreachable)")
    }
  }

  /// Goes by the gateway's own settings. What the storm was told that they contradict becomes a caveat.
  mutating func adopt(_ description: GatewayDescription) throws {
    settings = description
    if plan.clients > description.limits.connectionsMax {
      caveats.append(
        "\(Figures.count(plan.clients)) clients, but the gateway takes "
          + "\(Figures.count(description.limits.connectionsMax)) connections at most (--connections-max)")
    }
    guard let dialect = description.dialects.first(where: { Name($0.name) == Name(plan.dialect) }) else {
      caveats.append("the gateway's settings name no dialect \(plan.dialect)")
      return
    }
    adopt(dialect.refreshLeadS, "--refresh-lead", \.lead, \.leadSource)
    adopt(dialect.refreshSpreadS, "--refresh-spread", \.spread, \.spreadSource)
    adopt(dialect.refreshTimeoutS, "--refresh-timeout", \.timeout, \.timeoutSource)
    do {
      try plan.check()
    } catch {
      throw UsageError("\(error) (the gateway's own lead, spread and time-out)")
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
