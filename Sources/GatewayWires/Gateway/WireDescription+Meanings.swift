package import GatewayCore

/// The meanings of ends to clients of the wire.
extension WireDescription {
  /// Returns what a close frame with the code means on an open connection.
  package func meaning(ofClose code: UInt16) -> ReturnVerdict {
    habits.comeback?.verdict(of: Int(code), isHTTP: false, in: .live)?.verdict
      ?? EndRule.usual(Int(code), isHTTP: false)
  }

  /// Returns what a refused upgrade with the status means; nil if no rule of the description is about it.
  package func meaning(ofStatus status: Int) -> ReturnVerdict? {
    let rules = habits.comeback?.ends ?? []
    return rules.first { $0.isHTTP && $0.codes.contains { $0.contains(status) } }?.verdict
  }

  /// What makes clients renew, whatever carries the new token: a request over HTTP follows the client's timer, or the
  /// gateway's request.
  package var occasionOfRenewal: RefreshHabit.How {
    guard habits.refresh.how == .http else { return habits.refresh.how }
    return habits.refresh.lead == nil ? .asked : .timer
  }

  /// The first close code that a gateway may send and that keeps clients away permanently; nil if there is none.
  package var finalCode: UInt16? {
    for rule in habits.comeback?.ends ?? [] where !rule.isHTTP && rule.verdict == .giveUp && rule.text == nil {
      for code in rule.codes.joined() {
        guard let code = UInt16(exactly: code), CloseReason.maySend(code) else { continue }
        // An earlier rule may take the code.
        if meaning(ofClose: code) == .giveUp { return code }
      }
    }
    return nil
  }

  /// Whether a gateway that plays the wire permanently refuses a client with an invalid token, at its login or its
  /// renewal.
  package var isFinalAtBadToken: Bool {
    guard let served = try? ServedWire(self) else { return false }
    let error = GatewayError.tokenMalformed
    if habits.refresh.how == .http { return meaning(ofStatus: served.status(for: error)) == .giveUp }
    let isRenewedInPlace = [.asked, .timer].contains(habits.refresh.how)
    guard isRenewedInPlace else {
      if let refusal = served.words(for: .loginRefused(error, request: nil), isRenewing: false, isLoggingIn: true) {
        return refusal.then == .giveUp
      }
      return served.code(for: .invalidToken).map { meaning(ofClose: $0) == .giveUp } ?? false
    }
    return served.endsAtRefusedRenewal
      && served.code(for: error, isRenewal: true).map { meaning(ofClose: $0) == .giveUp } ?? false
  }
}
