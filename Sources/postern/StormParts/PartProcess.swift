import Dispatch
import GatewayCore
import Glibc
import Synchronization

/// A process of this program that runs one part of a storm, and reports on its standard output.
///
/// It ends when its standard input does, so that it does not outlive its parent.
final class PartProcess: Sendable {
  private let child: ChildProcess
  /// The writing end of its standard input; nil once it is closed.
  private let input: Mutex<Int32?>
  private let output: LineStream
  private let errors = Mutex<[UInt8]>([])
  private let hasErrors = DispatchSemaphore(value: 0)
  private let keepsErrors: Bool

  /// The maximum length of a line: a result with some thousand seconds of series is this long.
  private static let lineBytesMax = 64 << 20
  private static let errorBytesMax = 4_096

  /// Starts the process.
  ///
  /// - Parameter keepsErrors: Whether its standard error is kept for ``end()``, instead of going to this process's own.
  init(_ part: StormPart, words: [String], environment: [String: String], keepsErrors: Bool) throws {
    let environment = environment.merging(try part.environment) { $1 }
    let program = FilePath("/proc/self/exe").destination ?? CommandLine.arguments[0]
    var opened: [Int32] = []
    func open() throws(ChildProcess.NotStarted) -> Pipe {
      let pipe = try Pipe()
      opened += [pipe.reading, pipe.writing]
      return pipe
    }
    do {
      let (theirs, lines) = (try open(), try open())
      let complaints = keepsErrors ? try open() : nil
      let streams = ChildProcess.Streams(
        input: theirs.reading, output: lines.writing, error: complaints?.writing ?? STDERR_FILENO)
      child = try ChildProcess(program, words, environment: environment, streams: streams, hasOwnGroup: false)
      for descriptor in [theirs.reading, lines.writing, complaints?.writing] { descriptor.map { _ = close($0) } }
      input = Mutex(theirs.writing)
      output = LineStream(descriptor: lines.reading)
      self.keepsErrors = keepsErrors
      if let complaints { keepErrors(LineStream(descriptor: complaints.reading)) }
    } catch {
      for descriptor in opened { close(descriptor) }
      throw error
    }
  }

  private func keepErrors(_ reader: LineStream) {
    OwnThread.start { [self] in
      while let line = try? reader.next(bytesMax: Self.errorBytesMax) {
        errors.withLock { $0 = Array(($0 + line + [UInt8(ascii: "\n")]).suffix(Self.errorBytesMax)) }
      }
      hasErrors.signal()
    }
  }

  /// Waits for its next line; nil after the last.
  func nextLine() -> [UInt8]? { try? output.next(bytesMax: Self.lineBytesMax) }

  /// Ends it early; it still reports its result.
  func interrupt() {
    input.withLock { descriptor in
      if let open = descriptor { close(open) }
      descriptor = nil
    }
  }

  /// Waits for its exit, which is near when there are no more lines. Returns its exit status and the last of its standard
  /// error. Call it once only.
  func end() -> (status: Int32, said: String) {
    interrupt()
    if keepsErrors { hasErrors.wait() }
    return (child.wait(), errors.withLock { String(decoding: $0, as: UTF8.self) })
  }
}
