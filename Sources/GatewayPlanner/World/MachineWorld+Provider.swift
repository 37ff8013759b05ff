internal import GatewayCore
internal import GatewayFleet

// Requests to the token provider, from the client and back.

extension MachineWorld {
  /// Sends a client's request for a token. Returns the answer if it is available at once.
  mutating func ask(_ index: Int, _ number: UInt32, _ purpose: FetchPurpose) -> ClientEvent? {
    guard !delays(index, number, purpose) else { return nil }
    let ahead = commonExpiry.map { Duration.nanoseconds($0 - now) }
    let asked = machines[index].client.life(
      for: purpose, in: settings.plan, of: places?.client(at: index) ?? index, commonExpiry: ahead,
      chance: &machines[index].chance)
    var life: Int64
    var isInstant = false
    switch asked {
    case .untilCommonExpiry(let scattered):
      life = (commonExpiry ?? now) + scattered.nanoseconds
      isInstant = true
    case .lasting(let duration): life = duration.nanoseconds
    }
    if settings.isFirstTokenInHand, purpose == .login, machines[index].client.logins == 0 {
      if refresh != nil { hold(index) }
      if !isInstant { life += now }
      ledger.minted()
      return .fetched(number: number, .token(TokenText.credentials(expiringAt: dated(life))))
    }
    if refresh != nil {
      let (answer, waits) = joins(index, number, purpose)
      if let answer { return .fetched(number: number, answer) }
      if waits { return nil }
    }
    if let answer = retries?.hold(machines[index].client, number: index, at: Instant(nanoseconds: now)) {
      ledger.heldBack()
      return .fetched(number: number, release(index, purpose, answer))
    }
    let call: Int32 =
      switch purpose {
      case .login, .sessionKey: 0
      case .refresh(let call): Int32(clamping: call)
      case .hopelessRefresh(let call): -Int32(clamping: call)
      }
    var request = TokenRequest(
      client: worldNumber(index), number: number, begunAt: now, life: life, call: call, isInstant: isInstant)
    show(in: &request)
    ledger.providerCalled(
      purpose, by: machines[index].client.behaviour, isRenewal: refresh == nil ? nil : request.generation > 0,
      at: Instant(nanoseconds: now))
    fleet.pointee.timeOuts.makeRoom(in: &provider.requests)
    let place = provider.requests.add(request)
    fleet.pointee.timeOuts.add(place, at: now + settings.plan.fetchTimeout.nanoseconds)
    wheel.add(.asked, at: now + settings.link.delay(&linkChance), subject: place, connection: fleetIndex)
    return nil
  }

  /// Handles the arrival of a request at the provider.
  mutating func providerAsked(_ place: UInt32) {
    let request = provider.requests[place]
    enter(fleetOf: request)
    // A budget is checked before the provider, so that it also counts requests that are invalid, or refused because the
    // provider is away.
    if !provider.budgets.isEmpty, spend(place) { return }
    // An invalid request is refused at once and does not wait in the queue.
    guard request.call >= 0, !request.isInstant || request.life > now else { return answer(place, .refused) }
    if provider.isRefusing {
      answer(place, .busy)
    } else if provider.takePlace() {
      serve(place)
    } else if !provider.wait(place) {
      answer(place, .busy)
    }
  }

  private mutating func serve(_ place: UInt32) {
    let duration = provider.duration(at: now)
    if duration == 0 { return providerMade(place) }
    wheel.add(.made, at: now + duration, subject: place, connection: fleetIndex)
  }

  /// Returns a token's expiry, rounded to its precision. The digits below a microsecond hold the number of earlier
  /// revocations, which do not affect the token.
  private func dated(_ expiry: Int64) -> Int64 {
    let grain = (wire?.times.grain ?? settings.tokenGrain).nanoseconds
    // The common expiry is a valid date itself.
    let first = (commonExpiry ?? 0) % grain
    var dated = (expiry - first) / grain * grain + first
    if wire?.times.isDatedUp == true, dated < expiry { dated += grain }
    return dated / 1000 * 1000 + revocations
  }

  /// Handles the end of a request's turn.
  mutating func providerMade(_ place: UInt32) {
    enter(fleetOf: provider.requests[place])
    if provider.refusal != nil {
      answer(place, .away)
    } else if settings.provider.failures > 0, provider.chance.nextShare() < settings.provider.failures {
      answer(place, .busy)
    } else {
      var request = provider.requests[place]
      let isGiven = rotate(&request)
      if isGiven {
        request.life = dated(request.isInstant ? request.life : now + request.life)
        request.isInstant = true
        provider.figures.made += 1
        if request.isAbandoned { provider.figures.madeForNobody += 1 }
      }
      provider.requests[place] = request
      if isGiven, provider.losesReply() { forget(place) } else { answer(place, isGiven ? .token : .refused) }
    }
    provider.leavePlace()
    serveWaiting()
  }

  /// Serves queued requests while there are free places.
  mutating func serveWaiting() {
    while !provider.isPaused, provider.queued > 0, provider.takePlace() {
      guard let next = nextWanted() else {
        provider.leavePlace()
        return
      }
      serve(next)
    }
  }

  /// Returns the next request to serve; drops abandoned ones if the model does.
  private mutating func nextWanted() -> UInt32? {
    while let next = provider.takeWaiting() {
      guard provider.abandoned == .drop else { return next }
      let isLate = isTooLate(next)
      guard provider.requests[next].isAbandoned || isLate else { return next }
      forget(next)
    }
    return nil
  }

  private mutating func answer(
    _ place: UInt32, _ answer: TokenRequest.Answer, after duration: Duration = .zero
  ) {
    guard !provider.requests[place].isAbandoned else { return forget(place) }
    var request = provider.requests[place]
    enter(fleetOf: request)
    request.answer = answer
    provider.requests[place] = request
    guard !provider.losesAnswer(at: now) else { return forget(place) }
    let sent = duration == .zero ? now : now + duration.nanoseconds
    wheel.add(.answered, at: sent + settings.link.delay(&linkChance), subject: place, connection: fleetIndex)
  }

  /// Counts a request in every budget. Returns whether one of them refuses it; the refusal is then on its way.
  private mutating func spend(_ place: UInt32) -> Bool {
    var request = provider.requests[place]
    let plan = settings.plan
    let index = index(request.client)
    let client = places?.client(at: index) ?? index
    let address = (plan.fleet?.firstAddress ?? 0) + client % max(1, plan.addresses)
    guard
      let refusal = provider.budgets.judge(
        user: UInt64(plan.number(of: client)), address: UInt64(address),
        isRenewal: refresh == nil ? request.call != 0 : request.generation > 0,
        at: Instant(nanoseconds: now))
    else { return false }
    let share = refusal.isDrawn ? provider.chance.nextShare() : 0
    request.note(refusal, share: share, at: now, sent: now + settings.provider.refusalTime.nanoseconds)
    provider.requests[place] = request
    answer(place, refusal.status == 403 ? .banned : .limited, after: settings.provider.refusalTime)
    return true
  }

  /// Releases a request that neither the provider nor a packet holds any more.
  mutating func forget(_ place: UInt32) {
    var request = provider.requests[place]
    request.isUnderWay = false
    provider.requests[place] = request
    if request.isAbandoned { provider.requests.remove(place) }
  }

  /// Handles the arrival of an answer at the client, in time or not.
  mutating func requestAnswered(_ place: UInt32) {
    var request = provider.requests[place]
    enter(fleetOf: request)
    guard !request.isAbandoned else {
      if request.answer == .token { provider.figures.madeForNobody += 1 }
      return forget(place)
    }
    request.isAnswered = true
    request.isUnderWay = false
    provider.requests[place] = request
    let answer: ProviderAnswer =
      switch request.answer {
      case .token: .token(TokenText.credentials(expiringAt: request.life))
      case .busy: .busy(status: 503, retryAfter: heeded(provider.nextRetryAfter()))
      case .away: provider.latestRefusal?.answer ?? .busy(status: 503, retryAfter: nil)
      case .limited: .busy(status: 429, retryAfter: heeded(request.wait))
      case .banned: .refused(status: 403)
      case .refused, .none: .refused(status: 400)
      }
    give(answer, to: request)
  }

  /// Ends the oldest request because its timeout is over.
  mutating func timeOutRequest() {
    let place = fleet.pointee.timeOuts.take()
    guard !provider.requests[place].isAnswered else { return provider.requests.remove(place) }
    var request = provider.requests[place]
    request.isAbandoned = true
    provider.requests[place] = request
    if !request.isUnderWay { provider.requests.remove(place) }
    give(.failed("timed_out"), to: request)
  }

  private mutating func noteBudget(_ answer: ProviderAnswer, _ index: Int) {
    if refusedByBudget.isEmpty { refusedByBudget = Array(repeating: false, count: settings.plan.clients) }
    ledger.noteBudget(answer, machines[index].client.behaviour, &refusedByBudget[index])
  }

  private mutating func give(_ answer: ProviderAnswer, to request: TokenRequest) {
    let index = index(request.client)
    let instant = Instant(nanoseconds: now)
    let purpose: FetchPurpose =
      switch request.call {
      case 0: .login
      case ..<0: .hopelessRefresh(call: -Int(request.call))
      default: .refresh(call: Int(request.call))
      }
    let followers = refresh == nil || request.call < 0 ? [] : refresh?.land(index) ?? []
    let meant = refresh == nil ? answer : heed(answer, request)
    let isWanted =
      machines[index].isWaiting(forFetch: request.number)
      || followers.contains {
        machines[$0.client].isWaiting(forFetch: $0.number) && takes(answer, $0, leader: index)
      }
    ledger.providerReturned(
      answer, to: purpose, isRenewal: refresh == nil ? nil : request.generation > 0,
      after: .nanoseconds(now - request.begunAt), isWanted: isWanted, at: instant)
    if request.answer == .limited || request.answer == .banned || request.answer == .away {
      noteBudget(answer, index)
    }
    retries?.note(answer, to: machines[index].client.behaviour, number: index, at: instant)
    if settings.isAlone, case .token(let token) = meant {
      machines[index].client.note(endOfToken: Instant(nanoseconds: TokenText.expiry(of: token)))
    }
    tell(index, .fetched(number: request.number, meant))
    if !followers.isEmpty { deliver(followers, meant, leader: index) }
  }
}
