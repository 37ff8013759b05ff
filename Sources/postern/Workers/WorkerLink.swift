import GatewayCore
import GatewayKit
import GatewayProcess
import Glibc

/// The storm's side of a connection to one worker that knows the secret and has the same version.
///
/// It holds the offset of the worker's clock.
struct WorkerLink: Sendable {
  let address: WorkerAddress
  let stream: LineStream
  /// How far the worker's clock is ahead of this one's; negative if it is behind.
  let clockError: Duration

  private static let patience = Duration.seconds(5)
  private static let lineBytesMax = 4_096
  private static let clockRounds = 5
  /// In seconds.
  private static let clockErrorMax = 86_400.0

  /// Connects to a worker, and exchanges proofs. Throws ``WorkerFailure``, with a text for the user. May take seconds.
  static func open(_ address: WorkerAddress, secret: String) throws -> WorkerLink {
    do {
      let stream = LineStream(descriptor: try address.socket(connect))
      try introduce(stream, secret)
      return WorkerLink(address: address, stream: stream, clockError: try measureClock(stream))
    } catch let failure as LineStream.Failure {
      throw WorkerFailure(
        "--worker \(address): it \(failure == .timedOut ? "says nothing" : "has ended the connection")")
    } catch {
      throw WorkerFailure("--worker \(address): \(error)")
    }
  }

  /// connect(2) that waits no longer than ``patience``.
  private static func connect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
    // The timeout of sending is that of connecting too (socket(7)).
    var patience = timeval(tv_sec: Int(Self.patience.components.seconds), tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    guard Glibc.connect(descriptor, address, length) == 0 else {
      if errno == EINPROGRESS { errno = ETIMEDOUT }
      return false
    }
    return true
  }

  private static func introduce(_ stream: LineStream, _ secret: String) throws {
    guard case .greeting(let version, let theirs) = try next(stream) else { throw unexpected }
    guard version == GatewayDescription.currentVersion else {
      throw WorkerFailure("it is postern \(version), and this is \(GatewayDescription.currentVersion)")
    }
    let ours = WorkerProof.nonce()
    let proof = WorkerProof.code(secret, of: .storm, nonces: (ours, theirs))
    try WorkerMessage.claim(nonce: ours, proof: proof).send(to: stream)
    guard case .acceptance(let proof) = try next(stream) else { throw unexpected }
    guard WorkerProof.holds(proof, secret, of: .worker, nonces: (theirs, ours)) else {
      throw WorkerFailure("it does not know the secret")
    }
  }

  /// The difference in the quickest of some rounds, in the middle of which the worker looked at its clock (as in RFC 5905).
  private static func measureClock(_ stream: LineStream) throws -> Duration {
    var best: (length: Duration, error: Duration)?
    for _ in 0..<clockRounds {
      let asked = SystemTime.now
      try WorkerMessage.clockAsked.send(to: stream)
      guard case .clock(let nanoseconds) = try next(stream) else { throw unexpected }
      let length = SystemTime.now - asked
      let error = WallTime(nanoseconds: nanoseconds) - (asked + .nanoseconds(length.nanoseconds / 2))
      if best.map({ length < $0.length }) ?? true { best = (length, error) }
    }
    guard let error = best?.error, (-clockErrorMax...clockErrorMax).contains(error.inSeconds) else {
      throw WorkerFailure("its clock is more than a day from this machine's")
    }
    return error
  }

  private static func next(_ stream: LineStream) throws -> WorkerMessage {
    try WorkerMessage.next(from: stream, bytesMax: lineBytesMax, patience: patience)
  }

  private static var unexpected: WorkerFailure { WorkerFailure("it speaks another language than postern worker") }
}
