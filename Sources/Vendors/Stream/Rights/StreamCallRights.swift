internal import GatewayCore

/// The rights in a call of somebody who asks something of it: bob's, who may end it, for instance.
struct StreamCallRights: Sendable {
  /// Nil for a server that acts for nobody.
  let user: UserID?
  /// The role of the user in the application; nil for a server.
  let role: Name?
  /// The role that a call token gives in the calls it opens.
  let callRole: Name?
  let isServer: Bool
  /// Whether a call token opens the call, whatever the roles may.
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

  /// What may be done in a call of such grants, before anything is known of the call itself.
  func capabilities(by grants: StreamGrants) -> Set<StreamCapability> {
    if isServer { return Set(StreamCapability.allCases) }
    return [role, callRole].compactMap { $0 }.reduce(into: []) { $0.formUnion(grants.rights(of: $1).all) }
  }

  /// What may be done in that very call: by role, by membership, as its creator, and by what was given or taken.
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

  /// The names of the capabilities for `own_capabilities`, in alphabetical order: without those that the call's settings
  /// disable.
  func names(in call: StreamCall) -> [String] {
    capabilities(in: call).intersection(StreamCapability.listed).subtracting(StreamCallSettings(of: call).withheld)
      .map(\.rawValue).sorted()
  }

  func check(_ capability: StreamCapability, in call: StreamCall) throws(StreamError) {
    guard capabilities(in: call).contains(capability) else { throw refusal(capability, in: call.id.type) }
  }

  /// Whether the call's backstage is open to the user. The call's maker is never locked out of it: in `default` calls the
  /// grants give owners `update-call`, and so `stop_live`, but not `join-backstage`.
  func mayBeBackstage(in call: StreamCall) -> Bool {
    call.createdBy == user || capabilities(in: call).contains(.joinBackstage)
  }

  /// Whether a call of the type may be made.
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
