import GatewayCore
import GatewayServer

/// The version of postern with its commit and the version of libwebsockets, as `postern --version` prints it.
enum Version {
  static let number = GatewayDescription.currentVersion
  static let text =
    "postern \(number) (\(BuildInfo.commit.map { "commit \($0), " } ?? "")libwebsockets \(LibraryVersion.text))"
}
