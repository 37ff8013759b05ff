internal import Foundation
internal import GatewayCore
package import GatewayRedis
package import GatewayServer
internal import Synchronization

/// A Redis server on a free port of loopback, with its files in a temporary folder. It ends with this process, or with the last
/// reference.
package final class RedisServer: Sendable {
  /// Why there is no server.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let port: Int
  /// The folder of its files.
  package let folder: String
  private let process: Process
  private let input: Pipe

  /// The server of all contracts, each with a prefix of its own.
  private static let shared = Result { try RedisServer() }
  private static let loop = Result { () throws -> SocketLoop in
    let loop = SocketLoop(index: 0)
    try loop.start()
    return loop
  }

  /// Starts a server, with further arguments.
  package init(_ arguments: [String] = []) throws {
    let paths = ["redis-server", "valkey-server"].map { "/usr/bin/\($0)" }
    guard let program = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw Failure(description: "there is no redis-server; install it: Deploy/install-packages tests")
    }
    folder = NSTemporaryDirectory() + "postern-redis-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Another process may take the free port first.
    for attempt in 0..<5 {
      let port = try Self.freePort()
      let (process, input, output) = (Process(), Pipe(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      // The server ends when its standard input does, however this process ends.
      process.arguments =
        ["-c", "\"$@\" & server=$!; cat > /dev/null; kill -9 $server", "sh", program]
        + ["--bind", "127.0.0.1", "--port", "\(port)", "--dir", folder, "--save", ""] + arguments
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      var text = ""
      while !text.contains("Ready to accept connections") {
        let more = output.fileHandleForReading.availableData
        guard !more.isEmpty else { break }
        text += String(decoding: more, as: UTF8.self)
        if text.contains("Address already in use") { break }
      }
      guard text.contains("Ready to accept connections") else {
        try? input.fileHandleForWriting.close()
        guard attempt < 4 else { throw Failure(description: "\(program) does not start: \(text)") }
        continue
      }
      // A full pipe would stop the server, so its later output is read and dropped.
      output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
      (self.port, self.process, self.input) = (port, process, input)
      return
    }
    throw Failure(description: "no free port")
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The settings of a store on it, with a prefix that no other has.
  package var settings: RedisSettings {
    var settings = RedisSettings(LinkTarget(host: "127.0.0.1", port: port))
    settings.prefix = "{\(UUID().uuidString)}"
    return settings
  }

  /// Returns the settings of a store on the shared server, with a prefix that no other has.
  package static func sharedSettings() throws -> RedisSettings { try shared.get().settings }

  /// Returns an empty store on the shared server.
  package static func store() throws -> RedisStore {
    RedisStore(try sharedSettings(), on: [try links()], checksClock: false)
  }

  /// Returns links of a loop that runs until the process ends.
  package static func links() throws -> SocketLinks { SocketLinks(on: try loop.get()) }

  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw Failure(description: "no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
