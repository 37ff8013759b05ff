internal import GatewayCore
internal import GatewayTokens

/// The Api-Token of an application, which can be replaced during use.
final class SendbirdSecret: Sendable {
  private final class Content: Sendable {
    let credentials: Credentials

    init(_ credentials: Credentials) {
      self.credentials = credentials
    }
  }

  private let content: Replaceable<Content>

  init(_ credentials: Credentials) {
    content = Replaceable(Content(credentials))
  }

  var credentials: Credentials { content.value.credentials }

  func replace(with credentials: Credentials) { content.replace(with: Content(credentials)) }
}
