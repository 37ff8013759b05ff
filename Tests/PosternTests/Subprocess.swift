import Foundation
import GatewayKit
import TestSupport

/// A runner of system programs, by name.
enum Subprocess {
  struct Failure: Error {
    let status: Int32
    let complaints: String
  }

  /// Returns whether the program exists on this machine.
  static func exists(_ name: String) -> Bool {
    ["/bin", "/usr/bin", "/usr/local/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  /// Returns the program's standard output. Throws if it fails or writes errors.
  static func output(of words: String...) throws -> String {
    let (output, complaints, status) = try run(words)
    guard status == 0, complaints.isEmpty else { throw Failure(status: status, complaints: complaints) }
    return output
  }

  /// Returns the program's standard output and standard error. Throws if it fails.
  static func run(_ words: String...) throws -> (output: String, complaints: String) {
    let (output, complaints, status) = try run(words)
    guard status == 0 else { throw Failure(status: status, complaints: complaints) }
    return (output, complaints)
  }

  private static func run(_ words: [String]) throws -> (output: String, complaints: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    let (output, complaints) = (Pipe(), try TemporaryFile(""))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: URL(filePath: complaints.path))
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (
      String(decoding: data, as: UTF8.self), try String(contentsOfFile: complaints.path, encoding: .utf8),
      process.terminationStatus
    )
  }
}
