internal import CLibWebSockets
internal import Synchronization

/// The libwebsockets contexts of one loop. Each context has the WebSockets whose descriptors lie in its own range.
///
/// Each close walks a context's table of descriptors and checks every connection in it, an assertion of Debian's build
/// (`sanity_assert_no_sockfd_traces`). At 15,000 connections that was 40 % of the cost of a close; with eight contexts a close
/// checks an eighth of them. Only the first context is made at the start. Another is made when the first connection of its
/// range becomes a WebSocket.
///
/// Everything but `init` runs on the loop.
final class LibraryContexts {
  /// The maximum number of contexts of a loop: a context uses 16 bytes of memory for each descriptor up to the end of
  /// its range.
  private static let countMax = 8
  /// The least number of descriptors of a range.
  private static let rangeMin = 1024
  /// The lock for creating and destroying contexts, which the library allows in one thread at a time.
  private static let setup = Mutex(())

  /// The number of descriptors that there is room for. The library accepts no descriptor from this number on.
  let descriptorsMax: Int
  private let range: Int
  private let loop: OpaquePointer
  private let limits: ServerLimits
  private var contexts: [OpaquePointer?]

  /// Creates the first context; nil if the library refuses.
  init?(on loop: OpaquePointer, limits: ServerLimits) {
    self.loop = loop
    self.limits = limits
    descriptorsMax = min(
      limits.descriptorsMax(beside: ProcessFigures().openDescriptors), ProcessFigures.descriptorLimit, Int(CInt.max))
    range = max(Self.rangeMin, (descriptorsMax + Self.countMax - 1) / Self.countMax)
    contexts = Array(repeating: nil, count: (descriptorsMax + range - 1) / range)
    guard context(at: 0) != nil else { return nil }
  }

  /// The number of ranges.
  var count: Int { contexts.count }

  /// Returns the range of a descriptor below `descriptorsMax`.
  func index(of descriptor: CInt) -> Int { Int(descriptor) / range }

  /// Returns the context of a range, which is made if there is none; nil if the library refuses.
  func context(at index: Int) -> OpaquePointer? {
    if let context = contexts[index] { return context }
    // A context opens descriptors of its own. If other threads open many, those may be beyond its range.
    contexts[index] = make(upTo: min((index + 1) * range, descriptorsMax)) ?? make(upTo: descriptorsMax)
    return contexts[index]
  }

  /// Creates a context with a table up to a descriptor; nil if the library refuses.
  private func make(upTo end: Int) -> OpaquePointer? {
    let settings = postern_context_settings(
      loop: loop, handshake_seconds: limits.handshakeSeconds, header_bytes: UInt16(clamping: limits.headerBytesMax * 2),
      descriptors_max: CInt(end))
    let made = Self.setup.withLock { _ in
      withUnsafePointer(to: settings) { postern_context_create($0) }.map { UInt(bitPattern: $0) }
    }
    return made.flatMap { OpaquePointer(bitPattern: $0) }
  }

  /// Makes the library check its own timeouts.
  func serviceTimeouts() {
    for context in contexts { if let context { lws_cancel_service(context) } }
  }

  /// Destroys the contexts and closes their remaining connections.
  func destroy() {
    for context in contexts {
      guard let context else { continue }
      let address = UInt(bitPattern: context)
      Self.setup.withLock { _ in postern_context_destroy(OpaquePointer(bitPattern: address)) }
    }
    contexts = []
  }
}
