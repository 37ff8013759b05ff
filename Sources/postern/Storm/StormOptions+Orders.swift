import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayProcess

extension StormOptions {
  /// Gives an order of a scenario to all sessions of every gateway. Throws if one refuses it.
  func give(_ order: ScenarioPhase.Order) async throws {
    let (path, body): (String, String) =
      switch order {
      case .expire: ("/sessions/expire", "{}")
      case .refresh: ("/sessions/refresh", "{}")
      case .disconnect: ("/sessions/disconnect", "{}")
      case .restart: ("/sessions/disconnect", "{\"code\": 1012, \"reason\": \"restart\"}")
      case .revoke: ("/revocations", "{\"issued_before\": \(SystemTime.now.seconds)}")
      }
    let request = HTTPRequest(
      method: "POST", path: path, headers: [HTTPField("content-type", "application/json")], body: Array(body.utf8))
    for control in controls {
      let answer = try await ask(request, of: control)
      guard answer.status == 200 else {
        throw UsageError("the order '\(order.rawValue)': \(Self.complaint(of: answer))")
      }
    }
  }
}
