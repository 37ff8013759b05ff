import Dispatch
import GatewayCore
import Glibc
import Synchronization

/// A process of this program that carries out one part of a storm, and reports on its standard output.
///
/// It ends when its standard input does, so that none is left behind by a parent that dies.
final class PartProcess: Sendable {
  private let child: ChildProcess
  /// This side of its standard input, until that is closed.
  private let input: Mutex<Int32?>
  private let output: LineStream
  private let errors = Mutex<[UInt8]>([])
  private let hasErrors = DispatchSemaphore(value: 0)
  private let keepsErrors: Bool

  /// A result is this long with some thousand seconds of series.
  private static let lineBytesMax = 64 << 20
  private static let errorBytesMax = 4_096

  /// Starts it.
  ///
  /// - Parameter keepsErrors: Whether what it says on standard error is for ``end()``, and not for this process's own.
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

  /// The next line that it tells; nil when it has told everything. Waits.
  func nextLine() -> [UInt8]? { try? output.next(bytesMax: Self.lineBytesMax) }

  /// Has it end early; it still tells what it came to.
  func interrupt() {
    input.withLock { descriptor in
      if let open = descriptor { close(open) }
      descriptor = nil
    }
  }

  /// Waits for its end, which is near when there are no more lines. Returns its exit status, and the last that it said on
  /// standard error. Once.
  func end() -> (status: Int32, said: String) {
    interrupt()
    if keepsErrors { hasErrors.wait() }
    return (child.wait(), errors.withLock { String(decoding: $0, as: UTF8.self) })
  }
}
