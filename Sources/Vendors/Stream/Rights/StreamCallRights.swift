internal import GatewayCore

/// Who asks something of a call, and what they may do there.
struct StreamCallRights: Sendable {
  /// Nil for a server that acts for nobody.
  let user: UserID?
  /// The role of the user in the application; nil for a server.
  let role: Name?
  /// The role that a call token gives in the calls it opens.
  let callRole: Name?
  let isServer: Bool

  init(_ caller: StreamCaller, as user: StreamUser?) {
    self.init(
      user: user?.id, role: caller.kind == .anonymous ? StreamRole.anonymous.name : user?.role,
      callRole: caller.calls == nil ? nil : caller.role, isServer: caller.isServer)
  }

  init(user: UserID?, role: Name?, callRole: Name? = nil, isServer: Bool = false) {
    self.user = user
    self.role = role
    self.callRole = callRole
    self.isServer = isServer
  }

  /// What may be done in a call of that type, before anything is known of the call itself.
  func capabilities(in type: String) -> Set<StreamCapability> {
    if isServer { return Set(StreamCapability.allCases) }
    return [role, callRole].compactMap { $0 }.reduce(into: []) {
      $0.formUnion(StreamRole(name: $1).capabilities(in: type))
    }
  }

  /// What may be done in that very call: by role, by membership, as its creator, and by what was given or taken.
  func capabilities(in call: StreamCall) -> Set<StreamCapability> {
    if isServer { return Set(StreamCapability.allCases) }
    var capabilities = capabilities(in: call.id.type)
    guard let user, role != StreamRole.anonymous.name else { return capabilities }
    if call.createdBy == user { capabilities.formUnion(StreamRole.host.capabilities(in: call.id.type)) }
    if let member = call.member(user) {
      capabilities.formUnion(StreamRole.member.capabilities(in: call.id.type))
      if let role = member.role { capabilities.formUnion(StreamRole(name: role).capabilities(in: call.id.type)) }
    }
    for (name, isGiven) in call.grants[user] ?? [:] {
      guard let capability = StreamCapability(rawValue: name) else { continue }
      if isGiven { capabilities.insert(capability) } else { capabilities.remove(capability) }
    }
    return capabilities
  }

  /// The names of the capabilities, in the order of the alphabet: without those that the call's settings leave no use for.
  func names(in call: StreamCall) -> [String] {
    capabilities(in: call).subtracting(StreamCallSettings(of: call).withheld).map(\.rawValue).sorted()
  }

  func check(_ capability: StreamCapability, in call: StreamCall) throws(StreamError) {
    guard capabilities(in: call).contains(capability) else { throw refusal(capability, in: call.id.type) }
  }

  /// Whether a call of the type may be made.
  func checkCreation(of type: String) throws(StreamError) {
    guard capabilities(in: type).contains(.createCall) else { throw refusal(.createCall, in: type) }
  }

  private func refusal(_ capability: StreamCapability, in type: String) -> StreamError {
    .notAllowed(
      "User '\(user?.rawValue ?? "")' with role '\(role?.text ?? "")' is not allowed to perform action "
        + "\(capability.action) in scope 'video:\(type)'")
  }
}
