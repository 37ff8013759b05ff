import GatewayControl
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayProcess

extension StormOptions {
  /// Gives an order of a scenario to all sessions of every gateway. Throws if one refuses it.
  func give(_ order: ScenarioPhase.Order) async throws {
    let request: HTTPRequest =
      switch order {
      case .expire: try .post("/sessions/expire", NoMembers())
      case .refresh: try .post("/sessions/refresh", NoMembers())
      case .disconnect: try .post("/sessions/disconnect", DisconnectOrder())
      case .restart: try .post("/sessions/disconnect", DisconnectOrder(code: 1012, reason: "restart"))
      case .revoke: try .post("/revocations", RevocationOrder(issuedBefore: SystemTime.now.seconds))
      }
    for control in controls {
      let answer = try await ask(request, of: control)
      guard answer.status == 200 else {
        throw UsageError("the order '\(order.rawValue)': \(Self.complaint(of: answer))")
      }
    }
  }
}
