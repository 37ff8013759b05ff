import GatewayServer

/// What `postern --version` says.
enum Version {
  static let number = "1.0.0"
  static let text = "postern \(number) (libwebsockets \(LibraryVersion.text))"
}
