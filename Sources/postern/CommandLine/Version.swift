import GatewayCore
import GatewayServer

/// What `postern --version` says.
enum Version {
  static let number = GatewayDescription.currentVersion
  static let text = "postern \(number) (libwebsockets \(LibraryVersion.text))"
}
