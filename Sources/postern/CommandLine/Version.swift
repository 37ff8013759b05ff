import GatewayCore
import GatewayServer

/// What `postern --version` says.
enum Version {
  static let number = GatewayDescription.currentVersion
  static let text =
    "postern \(number) (\(BuildInfo.commit.map { "commit \($0), " } ?? "")libwebsockets \(LibraryVersion.text))"
}
