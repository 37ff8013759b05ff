internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// A command of an identified client, as its message says it: `startRemoteStream`, for instance; what is wrong with the
/// message is told when it is known who asks.
enum StreemCommand: Hashable {
  case start(Result<StreemCallOrder, GatewayError>)
  case join(Result<StreemJoinOrder, GatewayError>)
  /// The sid of the room.
  case leave(Result<Name, GatewayError>)
  case invite(Result<StreemInvitationOrder, StreemFailure>)
  /// Whether only experts are to be listed.
  case list(onlyExperts: Result<Bool, GatewayError>)
  /// The client has no new token; whether its session has reached its end.
  case tokenFailed(isExpired: Bool)

  /// The name of a command on the wire: `startRemoteStream`, for instance.
  enum Label: String, CaseIterable {
    case startRemoteStream
    case joinRemoteStream
    case leaveRemoteStream
    case createInvitation
    case getRecentlyIdentifiedUsers
    case tokenFailed
  }

  /// Reads the message of that name.
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
        // Who does the command cannot see the session's end, so it is told what is known here.
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

/// A call of two that somebody begins: an expert calls a customer, for instance.
struct StreemCallOrder: Hashable {
  let role: StreemRole
  let remoteRole: StreemRole
  /// Whom they call.
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

/// A call that somebody joins who was called: the room's sid with the role of who comes, for instance.
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
