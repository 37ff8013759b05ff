import GatewayCore
import GatewayServer

/// The answer of `postern --version`: the number, the commit and the version of libwebsockets.
enum Version {
  static let number = GatewayDescription.currentVersion
  static let text =
    "postern \(number) (\(BuildInfo.commit.map { "commit \($0), " } ?? "")libwebsockets \(LibraryVersion.text))"
}
