internal import GatewayCore
internal import GatewayFleet

// Sessions that outlive their connections, and their keys, for dialects that have them.

extension MachineWorld {
  /// Sends a client's request for a key to the gateway, with its token.
  mutating func askForKey(_ index: Int, _ number: UInt32) {
    ledger.keyWanted()
    wheel.add(
      .keyAsked, at: now + settings.link.delay(&linkChance), subject: worldNumber(index),
      connection: UInt16(truncatingIfNeeded: number))
  }

  mutating func keyAsked(_ event: WorldEvent, _ index: Int) {
    var answer = -Int64(wireNumber(of: .credentialsMissing))
    if let token = machines[index].client.token {
      switch judge(TokenText.expiry(of: token), index) {
      case .failure(let error): answer = -Int64(wireNumber(of: error))
      case .success(let acceptance):
        answer = kept[index].end
        // The live connection continues with the new key.
        if machines[index].gatewayEnd == .open, machines[index].session.grant != nil {
          tellSession(index, .renewed(acceptance))
        }
      }
    }
    wheel.add(
      .keyAnswered, at: now + settings.link.delay(&linkChance), subject: worldNumber(index),
      connection: event.connection,
      value: answer)
  }

  mutating func keyAnswered(_ event: WorldEvent, _ index: Int) {
    let number = machines[index].client.fetchNumber
    // An answer to an earlier request is ignored.
    guard UInt16(truncatingIfNeeded: number) == event.connection else { return }
    let answer: ProviderAnswer =
      event.value < 0
      ? .denied(number: Int(-event.value)) : .token(TokenText.credentials(expiringAt: event.value))
    tell(index, .fetched(number: number, answer))
  }

  private func wireNumber(of error: GatewayError) -> Int {
    if case .error(let number, _) = wire?.refusals[error.number] { return number }
    return error.number
  }

  /// Returns the verdict on a client that logs in by its upgrade: by its key while that is valid, otherwise by its
  /// token.
  mutating func judgeUpgrade(_ index: Int) -> Result<Acceptance, GatewayError> {
    let client = machines[index].client
    guard client.key != nil else {
      return client.token.map { judge(TokenText.expiry(of: $0), index) } ?? .failure(.credentialsMissing)
    }
    let session = kept[index]
    if now < session.end, session.end % 1000 >= revocations { return .success(acceptance(of: session, index)) }
    guard wire?.habits.sessionKey?.showsTokenToo == true, let token = client.token else {
      return .failure(now < session.end ? .tokenRevoked : .sessionExpired)
    }
    return judge(TokenText.expiry(of: token), index)
  }

  /// Returns the acceptance of a key's session.
  mutating func acceptance(of session: KeptSession, _ index: Int) -> Acceptance {
    acceptance(
      tokenEnd: session.tokenEnd, end: session.end, renewal: session.renewal,
      lead: wire?.times.lead(ofLife: .nanoseconds(session.end - session.begunAt)), index)
  }
}
