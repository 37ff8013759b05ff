import Foundation
import GatewayCore
import Synchronization

/// A process of this program that carries out one part of a storm, and tells what it does on its standard output. It knows
/// that it is to end when its standard input does, so that none is left behind by a parent that dies.
final class PartProcess: Sendable {
  // Foundation's types are not Sendable; they stay behind these locks.
  private let process: Mutex<Process>
  private let input: Mutex<Pipe?>
  private let output: LineStream
  private let errors: Mutex<Data>
  private let hasErrors = DispatchSemaphore(value: 0)
  private let keepsErrors: Bool

  /// A result is this long with some thousand seconds of series.
  private static let lineBytesMax = 64 << 20
  private static let errorBytesMax = 4_096

  /// Starts it.
  ///
  /// - Parameter keepsErrors: Whether what it says on standard error is for ``end()``, and not for this process's own.
  init(_ part: StormPart, words: [String], environment: [String: String], keepsErrors: Bool) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = words
    process.environment = environment.merging(try part.environment) { $1 }
    let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
    process.standardInput = pipes.input
    process.standardOutput = pipes.output
    if keepsErrors { process.standardError = pipes.errors }
    try process.run()
    // The pipe closes its own when it goes.
    output = LineStream(descriptor: fcntl(pipes.output.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 3))
    errors = Mutex(Data())
    input = Mutex(pipes.input)
    self.process = Mutex(process)
    self.keepsErrors = keepsErrors
    guard keepsErrors else { return }
    let reader = LineStream(descriptor: fcntl(pipes.errors.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 3))
    Thread.detachNewThread { [self] in
      while let line = try? reader.next(bytesMax: Self.errorBytesMax) {
        errors.withLock { $0 = ($0 + line + [UInt8(ascii: "\n")]).suffix(Self.errorBytesMax) }
      }
      hasErrors.signal()
    }
  }

  /// The next line that it tells; nil when it has told everything. Waits.
  func nextLine() -> Data? { try? output.next(bytesMax: Self.lineBytesMax) }

  /// Has it end early; it still tells what it came to.
  func interrupt() {
    input.withLock { pipe in
      try? pipe?.fileHandleForWriting.close()
      pipe = nil
    }
  }

  /// Waits for its end, which is near when there are no more lines. Returns its exit status, and the last that it said on
  /// standard error.
  func end() -> (status: Int32, said: String) {
    interrupt()
    if keepsErrors { hasErrors.wait() }
    let status = process.withLock { process in
      process.waitUntilExit()
      return process.terminationStatus
    }
    return (status, errors.withLock { String(decoding: $0, as: UTF8.self) })
  }
}
