import GatewayCore
import GatewayKit
import GatewayProcess
import Glibc
import Synchronization

/// The command `postern worker`: a process on another machine that carries out parts of storms.
enum WorkerCommand: Command {
  static let name = "worker"
  static let summary = "waits for orders of postern storm --worker, and carries out parts of its storms on this machine"
  static let example = "postern worker --listen 127.0.0.1:7300 --secret-file secret"
  static let sections = [
    FlagSection(
      "flags",
      [
        Flag("listen", "HOST:PORT", "where it takes orders, port 0 for a free one (default 127.0.0.1:7300)"),
        Flag(
          "secret-file", "FILE", "what the storm has to know too (--worker-secret-file there), at least 16 characters"),
        Flag("parts-max", "N", "how many parts it carries out at once, a process each (default 16)"),
      ])
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let listen =
      try arguments.value("listen").map { try WorkerAddress($0, ports: 0...UInt16.max) } ?? WorkerAddress.usual
    guard let secret = try arguments.workerSecret("secret-file") else {
      throw UsageError("--secret-file is needed: whoever knows it decides whom this machine storms")
    }
    let worker = Worker(secret: secret, partsMax: try arguments.int("parts-max", in: 1...256) ?? 16)
    let signals = SignalStream([SIGINT, SIGTERM])
    let port: UInt16
    do {
      port = try worker.listen(listen)
    } catch {
      throw UsageError("--listen \(listen): \(error)")
    }
    Output.line(#"{"event":"ready","host":"\#(listen.host)","pid":\#(getpid()),"port":\#(port)}"#)
    for await _ in signals { break }
    // Whoever waits for the parts' end can be ended like any program.
    signals.end()
    worker.end()
    return 0
  }
}

extension Arguments {
  /// The secret of storms and workers in the file that the flag names; nil if the flag is not given.
  func workerSecret(_ name: String) throws -> String? {
    guard let secret = try secret(name) else { return nil }
    guard secret.utf8.count >= WorkerProof.secretBytesMin else {
      throw UsageError("--\(name): a secret of workers has at least \(WorkerProof.secretBytesMin) characters")
    }
    return secret
  }
}
