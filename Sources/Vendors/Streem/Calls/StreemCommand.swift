internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// A command of an identified client, e.g. `startRemoteStream`. Errors in the message are reported when the sender is
/// known.
enum StreemCommand: Hashable {
  case start(Result<StreemCallOrder, GatewayError>)
  case join(Result<StreemJoinOrder, GatewayError>)
  /// Leaves the room with that sid.
  case leave(Result<Name, GatewayError>)
  case invite(Result<StreemInvitationOrder, StreemFailure>)
  /// Lists recent users; `onlyExperts` leaves out the others.
  case list(onlyExperts: Result<Bool, GatewayError>)
  /// Reports that the client has no new token. `isExpired` tells whether its session has ended.
  case tokenFailed(isExpired: Bool)

  /// The name of a command on the wire, e.g. `startRemoteStream`.
  enum Label: String, CaseIterable {
    case startRemoteStream
    case joinRemoteStream
    case leaveRemoteStream
    case createInvitation
    case getRecentlyIdentifiedUsers
    case tokenFailed
  }

  /// Reads the message with that name.
  init(_ label: Label, _ message: JSONObject, _ context: DialectContext) {
    self =
      switch label {
      case .startRemoteStream: .start(Self.read { () throws(GatewayError) in try StreemCallOrder(message) })
      case .joinRemoteStream: .join(Self.read { () throws(GatewayError) in try StreemJoinOrder(message) })
      case .leaveRemoteStream: .leave(Self.read { () throws(GatewayError) in try message.roomSID() })
      case .createInvitation: .invite(Result { () throws(StreemFailure) in try StreemInvitationOrder(message) })
      case .getRecentlyIdentifiedUsers:
        .list(onlyExperts: Self.read { () throws(GatewayError) in try message.truth("onlyExperts") ?? false })
      case .tokenFailed:
        // The handler of the command cannot see whether the session has expired.
        .tokenFailed(isExpired: context.hasExpired)
      }
  }

  private static func read<Order>(_ body: () throws(GatewayError) -> Order) -> Result<Order, GatewayError> {
    do throws(GatewayError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }
}

/// A request to call another user.
struct StreemCallOrder: Hashable {
  let role: StreemRole
  let remoteRole: StreemRole
  /// The called user.
  let remote: Name
  let reference: Name?

  fileprivate init(_ message: JSONObject) throws(GatewayError) {
    let own = try message.role("role")
    let other = try message.role("remoteRole")
    let called = try message.text("remoteUserId").map { Name($0) }
    reference = try message.text("referenceId").map { Name($0) }
    guard let own, let called else { throw .invalidParameter.detailed("role and remoteUserId are needed") }
    role = own
    remote = called
    remoteRole = other ?? own.counterpart
    guard remoteRole.isPro != role.isPro else {
      throw .invalidParameter.detailed("one of the two roles must be a customer's, the other a pro's")
    }
  }
}

/// A request to join a call as the called user.
struct StreemJoinOrder: Hashable {
  let sid: Name
  let role: StreemRole?

  fileprivate init(_ message: JSONObject) throws(GatewayError) {
    sid = try message.roomSID()
    role = try message.role("role")
  }
}

extension JSONObject {
  fileprivate func role(_ name: StaticString) throws(GatewayError) -> StreemRole? {
    guard let text = try text(name) else { return nil }
    guard let role = StreemRole(rawValue: text) else {
      let roles = StreemRole.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalidParameter.detailed("\(name) must be one of \(roles)")
    }
    return role
  }

  fileprivate func roomSID() throws(GatewayError) -> Name {
    guard let sid = try text("roomSid").map({ Name($0) }) else {
      throw .invalidParameter.detailed("roomSid is missing")
    }
    return sid
  }
}
