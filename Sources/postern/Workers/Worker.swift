import Dispatch
import GatewayCore
import Glibc
import Synchronization

/// The listening side of `postern worker`, with a thread for each connection.
///
/// Connections that have not proved that they know the secret are bounded by themselves: the oldest of them makes room for
/// the next. So nobody who connects and says nothing keeps a storm out, which proves itself within a round trip.
final class Worker: Sendable {
  private struct State {
    /// The connections that have proved nothing yet, oldest first.
    var strangers: [WorkerConnection] = []
    /// The connections that have.
    var storms: [ObjectIdentifier: WorkerConnection] = [:]
    /// How many parts are being carried out, or will be in a moment.
    var parts = 0
    var isEnding = false
  }

  private let secret: String
  private let partsMax: Int
  private let state = Mutex(State())
  /// Signalled for each connection that has ended.
  private let ended = DispatchSemaphore(value: 0)
  private static let farewell = DispatchTimeInterval.seconds(10)
  /// In milliseconds.
  private static let acceptPause: Int32 = 100
  /// How many connections may have proved nothing yet.
  static let strangersMax = 64
  /// Storms measure the clock, and may be told that there is no place, beside those whose parts are carried out.
  private var stormsMax: Int { 2 * partsMax }

  init(secret: String, partsMax: Int) {
    self.secret = secret
    self.partsMax = partsMax
  }

  /// Takes orders there from now on. Returns the port.
  func listen(_ address: WorkerAddress) throws -> UInt16 {
    let descriptor = try address.socket { descriptor, address, length in
      var one: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
      return bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, 64) == 0
    }
    OwnThread.start { [self] in accept(from: descriptor) }
    return Self.port(of: descriptor)
  }

  private static func port(of descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      let address = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      guard getsockname(descriptor, address, &length) == 0 else { return 0 }
      // The port stands at the same place in both families' addresses.
      return bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self).bigEndian
    }
  }

  private func accept(from descriptor: Int32) {
    while true {
      let peer = Glibc.accept(descriptor, nil, nil)
      guard peer >= 0 else {
        // Of descriptors there may be none for a while.
        if errno != EINTR && errno != ECONNABORTED { poll(nil, 0, Self.acceptPause) }
        continue
      }
      _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
      var one: Int32 = 1
      setsockopt(peer, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      let stream = LineStream(descriptor: peer)
      let connection = WorkerConnection(
        stream, secret: secret, hasProved: { [self] in admit($0) }, takePlace: { [self] in takePlace() },
        givePlace: { [self] in givePlace() })
      let (isTaken, oldest) = state.withLock { state -> (Bool, WorkerConnection?) in
        guard !state.isEnding else { return (false, nil) }
        let oldest = state.strangers.count < Self.strangersMax ? nil : state.strangers.removeFirst()
        state.strangers.append(connection)
        return (true, oldest)
      }
      oldest?.end()
      guard isTaken else { continue }
      OwnThread.start { [self] in
        connection.run()
        state.withLock { state in
          state.strangers.removeAll { $0 === connection }
          state.storms[ObjectIdentifier(connection)] = nil
        }
        ended.signal()
      }
    }
  }

  /// A connection has proved that it is a storm's. Returns false if there are too many, or the worker ends.
  private func admit(_ connection: WorkerConnection) -> Bool {
    state.withLock { state in
      // It may have made room for another just now.
      guard let index = state.strangers.firstIndex(where: { $0 === connection }), !state.isEnding,
        state.storms.count < stormsMax
      else { return false }
      state.strangers.remove(at: index)
      state.storms[ObjectIdentifier(connection)] = connection
      return true
    }
  }

  /// The refusal of a part above the limit.
  static let isFull = "the worker carries out as many parts as it may (--parts-max)"

  /// Takes one of the places for parts; false if there is none. Of several storms that order at once each has its own.
  private func takePlace() -> Bool {
    state.withLock { state in
      guard state.parts < partsMax else { return false }
      state.parts += 1
      return true
    }
  }

  private func givePlace() {
    state.withLock { $0.parts -= 1 }
  }

  /// Ends what is being carried out; returns when it has ended, or after some seconds.
  func end() {
    let connections = state.withLock { state in
      state.isEnding = true
      return state.strangers + state.storms.values
    }
    for connection in connections { connection.end() }
    while !state.withLock({ $0.strangers.isEmpty && $0.storms.isEmpty }),
      ended.wait(timeout: .now() + Self.farewell) == .success
    {}
  }
}
