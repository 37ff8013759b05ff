package import GatewayCore

/// How to reach a Redis server, and which of its keys are this gateway's.
package struct RedisSettings: Hashable, Sendable {
  /// The server. With Sentinels its host and port are theirs to say.
  package var target: LinkTarget
  /// The Sentinels that name the server; nil for none.
  package var sentinels: RedisSentinels?
  /// The user of the server's access list; nil for its default user.
  package var user: String?
  /// The password; nil for none.
  package var password: Credentials?
  /// The beginning of every key. It is a hash tag, so that all keys are in one slot.
  package var prefix = "{postern}"
  /// The number of replicas that must have a commit before it is answered.
  package var replicas = 0
  /// Whether several processes use the prefix at the same time. All of them must be configured so.
  package var isShared = false
  /// The name of this process, for an operator who finds the prefix in use.
  package var owner = "a process"
  /// Whether a server that keeps nothing on its disk is accepted.
  package var allowsVolatile = false

  package init(_ target: LinkTarget) {
    self.target = target
  }

  package init(_ sentinels: RedisSentinels, isTLS: Bool) {
    target = LinkTarget(host: "", port: 0, isTLS: isTLS)
    self.sentinels = sentinels
  }

  /// The server, for an operator.
  var server: String { server(at: sentinels == nil ? target : nil) }

  /// Returns the server, for an operator, while it is at that address.
  func server(at target: LinkTarget?) -> String {
    (sentinels.map { "Redis '\($0.name)'" } ?? "Redis") + (target.map { " at \($0.address)" } ?? "")
  }

  /// Returns whether that may be a prefix: 1 to 64 letters, digits, `.`, `_`, `-` or `:` in braces.
  package static func isPrefix(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count >= 3, bytes.count <= 66, bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
      return false
    }
    return bytes.dropFirst().dropLast().allSatisfy { byte in
      (0x30...0x3A).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains(byte)
    }
  }
}
