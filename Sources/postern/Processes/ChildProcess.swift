import Glibc
import Synchronization

/// A process that this one has started, e.g. a part of a storm or the client under test. The caller must ``wait()`` for it or
/// reap it.
struct ChildProcess: Sendable {
  /// An error for a process that could not be started.
  struct NotStarted: Error, CustomStringConvertible {
    let path: String
    let error: Int32

    var description: String { "\(path) cannot be started: \(String(cString: strerror(error)))" }
  }

  /// The descriptors for the child's standard input, output and error. They stay open in this process, which must close them.
  struct Streams {
    var input: Int32
    var output: Int32
    var error: Int32
  }

  let number: pid_t
  /// A lock for creating pipes and processes, so that no child inherits an end of another's pipe.
  static let making = Mutex(())

  /// Starts the program with only the three streams open, no signal blocked, and default handling of the signals that users
  /// send.
  ///
  /// - Parameter hasOwnGroup: Whether it leads its own process group, so that a signal can reach it with all its child
  ///   processes.
  init(
    _ path: String, _ words: [String], environment: [String: String], streams: Streams, hasOwnGroup: Bool
  ) throws(NotStarted) {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    let given = [(streams.input, STDIN_FILENO), (streams.output, STDOUT_FILENO), (streams.error, STDERR_FILENO)]
    for (descriptor, place) in given { posix_spawn_file_actions_adddup2(&actions, descriptor, place) }
    // The child may want to handle signals that this process ignores or handles by other means.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)
    posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
    var arguments: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var number: pid_t = 0
    let error = Self.making.withLock { _ in
      for descriptor in Self.openDescriptors where descriptor > STDERR_FILENO {
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
      return posix_spawn(&number, path, &actions, &attributes, &arguments, &variables)
    }
    guard error == 0 else { throw NotStarted(path: path, error: error) }
    self.number = number
  }

  private static var openDescriptors: [Int32] {
    FilePath("/proc/self/fd").names.compactMap { Int32($0) }
  }

  /// Waits for the child's exit, and reaps it. Returns its exit status, or 128 plus the number of the signal that ended it.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(number, &status, 0) < 0 {
      // No other code reaps the child.
      guard errno == EINTR else { return -1 }
    }
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
  }
}
