internal import GatewayCore

/// The rights of a user in a call.
struct StreamCallRights: Sendable {
  /// Nil for a server that acts for no user.
  let user: UserID?
  /// The user's role in the application; nil for a server.
  let role: Name?
  /// The role from a call token in the calls that it allows.
  let callRole: Name?
  let isServer: Bool
  /// Whether a call token allows the call, whatever the roles permit.
  private let hasCallToken: Bool

  init(_ caller: StreamCaller, as user: StreamUser?) {
    self.init(
      user: user?.id, role: caller.kind == .anonymous ? StreamRole.anonymous.name : user?.role,
      callRole: caller.calls == nil ? nil : caller.role, isServer: caller.isServer,
      hasCallToken: caller.calls != nil)
  }

  init(user: UserID?, role: Name?, callRole: Name? = nil, isServer: Bool = false, hasCallToken: Bool = false) {
    self.user = user
    self.role = role
    self.callRole = callRole
    self.isServer = isServer
    self.hasCallToken = hasCallToken
  }

  /// Returns the capabilities from those grants alone, without the state of a call.
  func capabilities(by grants: StreamGrants) -> Set<StreamCapability> {
    if isServer { return Set(StreamCapability.allCases) }
    return [role, callRole].compactMap { $0 }.reduce(into: []) { $0.formUnion(grants.rights(of: $1).all) }
  }

  /// Returns the capabilities in that call: by role, by membership, as its creator, and by individual grants.
  func capabilities(in call: StreamCall) -> Set<StreamCapability> {
    if isServer { return Set(StreamCapability.allCases) }
    let grants = call.roleGrants
    let opened: Set<StreamCapability> = hasCallToken ? [.joinCall, .readCall] : []
    guard let user, role != StreamRole.anonymous.name else { return capabilities(by: grants).union(opened) }
    var roles = [role, callRole]
    if let member = call.members[user] { roles += [StreamRole.member.name, member.role] }
    var capabilities = opened
    for role in roles {
      guard let rights = role.map(grants.rights) else { continue }
      capabilities.formUnion(rights.all)
      if call.createdBy == user { capabilities.formUnion(rights.owners) }
    }
    for (name, isGiven) in call.grants[user] ?? [:] {
      guard let capability = StreamCapability(rawValue: name) else { continue }
      if isGiven { capabilities.insert(capability) } else { capabilities.remove(capability) }
    }
    return capabilities
  }

  /// Returns the names for `own_capabilities` in alphabetical order, without the capabilities that the call's settings
  /// disable.
  func names(in call: StreamCall) -> [String] {
    capabilities(in: call).intersection(StreamCapability.listed).subtracting(StreamCallSettings(of: call).withheld)
      .map(\.rawValue).sorted()
  }

  func check(_ capability: StreamCapability, in call: StreamCall) throws(StreamError) {
    guard capabilities(in: call).contains(capability) else { throw refusal(capability, in: call.id.type) }
  }

  /// Returns whether the user may join the call while it is backstage. The call's creator always may: in `default`
  /// calls the grants give owners `update-call`, and so `stop_live`, but not `join-backstage`.
  func mayBeBackstage(in call: StreamCall) -> Bool {
    call.createdBy == user || capabilities(in: call).contains(.joinBackstage)
  }

  /// Throws unless the user may create a call of the type.
  func checkCreation(of type: String, _ definition: StreamCallType?) throws(StreamError) {
    let grants = StreamGrants(of: type, definition)
    guard capabilities(by: grants).contains(.createCall) else { throw refusal(.createCall, in: type) }
  }

  func refusal(_ capability: StreamCapability, in type: String) -> StreamError {
    .notAllowed(
      "User '\(user?.rawValue ?? "")' with role '\(role?.text ?? "")' is not allowed to perform action "
        + "\(capability.action) in scope 'video:\(type)'")
  }
}
