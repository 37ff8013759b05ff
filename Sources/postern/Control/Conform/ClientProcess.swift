import GatewayCore
import GatewayRuntime
import Glibc
import Synchronization

/// The client under test: a shell command, e.g. `python3 client.py`, with all its child processes in its own process group.
///
/// A thread reads the output until it ends, and keeps its last bytes. The exit of the process is observed without reaping it.
/// Its number thus stays reserved, and a signal to the group cannot reach another group.
final class ClientProcess: Sendable {
  private struct State {
    var tail: [UInt8] = []
    var printed = 0
    var hasEnded = false
    var status: Int32 = 0
    /// Whether its output is no longer needed.
    var isReleased = false
  }

  static let tailMax = 8_192
  private static let pieceMax = 65_536
  /// The interval between two checks for its exit, in milliseconds.
  private static let interval: Int32 = 10

  private let child: ChildProcess
  /// The number of the process, which is the shell's.
  var number: Int32 { child.number }
  private let state = Mutex(State())

  /// Runs the command in `/bin/sh`, with this environment and an empty standard input.
  init(_ command: String, environment: [String: String]) throws {
    let (output, nothing) = (try Pipe(), open("/dev/null", O_RDONLY | O_CLOEXEC))
    defer { for descriptor in [output.writing, nothing] { close(descriptor) } }
    let streams = ChildProcess.Streams(input: nothing, output: output.writing, error: output.writing)
    do {
      child = try ChildProcess(
        "/bin/sh", ["-c", command], environment: environment, streams: streams, hasOwnGroup: true)
    } catch {
      close(output.reading)
      throw error
    }
    let reading = output.reading
    OwnThread.start { [self] in watch(reading) }
  }

  // MARK: Watching

  private func watch(_ output: Int32) {
    var isOpen = true
    while true {
      var wanted = pollfd(fd: isOpen ? output : -1, events: Int16(POLLIN), revents: 0)
      _ = poll(&wanted, 1, Self.interval)
      if wanted.revents != 0 { isOpen = read(output) }
      if !hasEnded, isGone { state.withLock { $0.hasEnded = true } }
      if state.withLock({ $0.isReleased || ($0.hasEnded && !isOpen) }) { break }
    }
    close(output)
  }

  /// Reads a piece of the output. Returns false once no process can write any more.
  private func read(_ output: Int32) -> Bool {
    var piece = [UInt8](repeating: 0, count: Self.pieceMax)
    let count = Glibc.read(output, &piece, piece.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    state.withLock { state in
      state.printed += count
      state.tail = Array((state.tail + piece.prefix(count)).suffix(Self.tailMax))
    }
    return true
  }

  private var isGone: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(child.number), &information, WEXITED | WNOHANG | WNOWAIT) == 0
      && information.si_signo == SIGCHLD
  }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// The last bytes of its output.
  var tail: String {
    state.withLock { state in
      let text = String(decoding: state.tail, as: UTF8.self)
      return state.printed > state.tail.count ? "… (\(state.printed) bytes in all)\n\(text)" : text
    }
  }

  // MARK: The end

  /// Ends the process and all that it has started: by SIGTERM, and by SIGKILL after `grace`. Returns a sentence about how it
  /// ended.
  ///
  /// Call it once only, from a task on the loop.
  func end(grace: Duration, on loop: EventLoop) async -> String {
    let endedItself = hasEnded
    kill(-child.number, SIGTERM)
    let isOrderly = await ends(within: grace, on: loop)
    // Its child processes may outlive it.
    kill(-child.number, SIGKILL)
    _ = await ends(within: .seconds(5), on: loop)
    var status: Int32 = 0
    let reaped = waitpid(child.number, &status, WNOHANG)
    state.withLock { $0.isReleased = true }
    guard reaped == child.number else { return "the client cannot be ended" }
    if endedItself { return "the client ended by itself, \(Self.words(status))" }
    return isOrderly ? "the client ended when it was asked to" : "the client did not end on SIGTERM, and was killed"
  }

  private func ends(within limit: Duration, on loop: EventLoop) async -> Bool {
    let end = loop.now + limit
    while !hasEnded, loop.now < end { await loop.sleep(until: loop.now + .milliseconds(10)) }
    return hasEnded
  }

  /// Returns the words for the status of `waitpid`.
  private static func words(_ status: Int32) -> String {
    let signal = status & 0x7f
    return signal == 0 ? "with status \(status >> 8 & 0xff)" : "by signal \(signal)"
  }
}
