package import GatewayCore
internal import GatewayJSON
package import GatewayKit

// Calls on the plain wire.

extension PlainDialect: CallDialect {
  /// Returns the dialect's binding to a gateway. `authenticator` verifies its tokens; its crowds are counted on
  /// `executor`.
  package static func binding(
    _ authenticator: any Authenticator, on executor: any (SerialExecutor & TaskExecutor)
  ) -> DialectBinding {
    let dialect = PlainDialect()
    return DialectBinding(dialect, authenticator, commands: CallCommands(dialect, on: executor))
  }

  package func answer(to command: CallCommand, request: RequestID?) -> Frame? {
    let type =
      switch command {
      case .join: "joined"
      case .leave: "left"
      case .publish: "published"
      }
    return Frame(.text, Self.message(type, request) { $0.member("cid", command.call.cid) })
  }

  package func encode(_ event: CallEvent) -> Frame? {
    let type: String
    var content: String?
    switch event.kind {
    case .memberJoined: type = "member_joined"
    case .memberLeft: type = "member_left"
    case .crowdChanged: type = "members_changed"
    case .message(let json):
      type = "message"
      content = json
    }
    let payload = JSONWriter.object(capacity: 128 + (content?.utf8.count ?? 0)) { json in
      json.member("type", type)
      json.member("cid", event.call.cid)
      if case .crowdChanged(let members) = event.kind {
        json.member("members", Int64(members))
      } else {
        json.member("user_id", event.user.rawValue)
      }
      if let content {
        json.name("content")
        json.raw(content)
      }
    }
    return Frame(.text, payload)
  }
}
