internal import GatewayCore

/// The refresh token of one device, and what the endpoint's description remembers for it. Its tabs share it.
///
/// `@unchecked Sendable`: touched only on the loop of its clients.
final class DeviceGrant: @unchecked Sendable {
  var jar = TokenJar()
  var memory: TokenMemory
  /// The number of the latest refresh token.
  private var numbers: UInt32 = 0

  init(_ memory: TokenMemory) {
    self.memory = memory
  }

  /// Notes an answer with a token. Returns whether it brought the device's first refresh token.
  ///
  /// - Parameters:
  ///   - earlier: The values that the memory held before.
  ///   - now: The time.
  func granted(instead earlier: [String?], at now: Instant) -> Bool {
    guard !jar.isSignedOut else {
      memory.taken = earlier
      return false
    }
    guard memory.taken.contains(where: { $0 != nil }) else { return false }
    if memory.taken != earlier || jar.token == 0 { numbers = numbers < .max ? numbers + 1 : 1 }
    return jar.received(numbers, at: now)
  }
}

/// Requests for tokens, with one in flight at a time. The others take its result.
///
/// `@unchecked Sendable`: touched only on the loop of its clients.
final class TokenFlight: @unchecked Sendable {
  var isPending = false
  private var joined: [FetchTicket] = []

  /// Waits for the request that is under way.
  func join(_ ticket: FetchTicket) { joined.append(ticket) }

  /// Ends the request. Returns the tickets that have waited for it.
  func land() -> [FetchTicket] {
    isPending = false
    let tickets = joined
    joined = []
    return tickets
  }
}
