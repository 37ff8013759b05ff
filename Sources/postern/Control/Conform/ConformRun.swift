import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer

/// A conformance run: each behaviour in its own space with its own client, several at once.
struct ConformRun: Sendable {
  let options: ConformOptions
  let loop: SocketLoop
  let stop: ConformStop

  /// The time for a client to end in an orderly way.
  private static let grace = Duration.seconds(2)
  private static let afterBound = Duration.seconds(120)

  /// Returns the results, in the order of the behaviours. Since they take minutes, it prints each on standard error when it
  /// comes.
  ///
  /// Call it only from a task on the loop. Throws if no gateway answers.
  func results() async throws -> [ConformResult] {
    // A gateway that hosts no spaces is reported at once.
    let answer = try await options.control.send(.get("/spaces", query: [HTTPField("limit", "1")]), by: dialer)
    guard answer.status < 400 else { throw ConformEnd(verdict: .undecided, sentence: answer.complaint) }
    // A client that refuses the wire or the route is treated the same: no behaviour could be tried.
    await end(try await space(idle: Self.afterBound))
    return try await withThrowingTaskGroup(of: (Int, ConformResult).self) { group in
      var results = [ConformResult?](repeating: nil, count: options.behaviours.count)
      func take(_ number: Int, _ result: ConformResult) throws {
        results[number] = result
        guard !result.saysCommandCannotStart || results.contains(where: { $0?.saysCommandCannotStart == false }) else {
          stop.order()
          throw UsageError(
            "--run: the command cannot start: \(result.output.split(separator: "\n").first ?? ""); "
              + "a command line for /bin/sh, as 'python3 client.py'")
        }
        let count = results.count { $0 != nil }
        Output.error("\(count) of \(results.count): \(result.behaviour.name) \(result.verdict.words)")
      }
      for (number, behaviour) in options.behaviours.enumerated() {
        if number >= options.jobs, let (done, result) = try await group.next() { try take(done, result) }
        guard !stop.isOrdered else { break }
        group.addTask { (number, try await outcome(of: behaviour)) }
      }
      for try await (done, result) in group { try take(done, result) }
      return results.compactMap { $0 }
    }
  }

  private var dialer: SocketDialer { SocketDialer(on: loop) }
  private var now: Instant { loop.events.now }

  private func outcome(of behaviour: Behaviour) async throws -> ConformResult {
    let began = self.now
    var result: ConformResult
    do {
      var tries = 1
      result = try await outcomeOfEither(behaviour)
      // A behaviour that a slow machine left undecided is tried again.
      while result.verdict == .undecided, result.lost >= Self.slowness, tries < Self.triesMax, !stop.isOrdered {
        tries += 1
        result = try await outcomeOfEither(behaviour)
      }
    } catch let end as ConformEnd {
      result = ConformResult(behaviour: behaviour, verdict: end.verdict, sentences: [end.sentence])
    } catch let gone as ControlUnreachable where gone.failure == .timedOut {
      // A slow machine ends one behaviour, not the run with all that it has found.
      result = ConformResult(behaviour: behaviour, verdict: .undecided, sentences: ["\(gone)"])
    }
    result.duration = now - began
    return result
  }

  /// The least lost time for which a behaviour is tried again, and the maximum number of tries.
  private static let (slowness, triesMax) = (Duration.milliseconds(100), 3)

  /// Returns the outcome for a client that starts with the given token, or with one of its provider.
  private func outcomeOfEither(_ behaviour: Behaviour) async throws -> ConformResult {
    do {
      return try await outcome(of: behaviour, beginsAtProvider: false)
    } catch is BeginsAtProvider {
      do {
        return try await outcome(of: behaviour, beginsAtProvider: true)
      } catch is BeginsAtProvider {
        throw ConformEnd(verdict: .undecided, sentence: "the client was let in, where it was to be turned away")
      }
    }
  }

  /// Runs the behaviour in a new space, and ends the space.
  ///
  /// - Parameter beginsAtProvider: Whether the client is known to get its first token from its provider.
  private func outcome(of behaviour: Behaviour, beginsAtProvider: Bool) async throws -> ConformResult {
    let space = try await space(for: behaviour)
    do {
      let result = try await outcome(of: behaviour, in: space, beginsAtProvider: beginsAtProvider)
      await end(space)
      return result
    } catch {
      await end(space)
      throw error
    }
  }

  private func outcome(
    of behaviour: Behaviour, in space: SpaceBody, beginsAtProvider: Bool
  ) async throws -> ConformResult {
    let wire = options.wire
    guard let url = space.urls[wire.name] else {
      throw ConformEnd(verdict: .undecided, sentence: "the gateway does not speak \(wire.name)")
    }
    let upstream = options.upstream
    let how = wire.how(asks: upstream == nil ? try await asks(space) : nil)
    if let reason = upstream?.reason(against: behaviour, how) ?? behaviour.reasonAgainst(wire, how) {
      throw ConformEnd(verdict: .notApplicable, sentence: reason)
    }
    let provider = try ControlClient(url: space.httpURL, secret: nil)
    // A random user name: a client that outlived its own space may reach this one on the same port, and must not be mistaken
    // for this client.
    let user = "conformer-\(String(Int(loop.events.nextShare() * 0x1p32), radix: 36))"
    let firstLife = how == .timer && behaviour.timed?.isShort == true ? wire.shortLife : nil
    let token =
      upstream == nil ? try await token(for: behaviour, firstLife, of: user, from: provider, in: space) : nil
    let beginning = try await beginning(of: space)
    let clock = RunClock(on: loop.events)
    let memory = SceneMemory()
    let bound = behaviour.bound(firstLife: firstLife, grace: wire.grace)
    func scene(_ client: ClientProcess?) -> ConformScene {
      ConformScene(
        loop: loop, dialer: dialer, control: options.control, space: space,
        givenUser: upstream == nil ? user : nil, wire: wire, client: client,
        beginning: beginning, how: how, firstLife: firstLife ?? .zero, deadline: now + bound,
        realDeadline: now + bound * Self.slowest, clock: clock, memory: memory, stop: stop)
    }
    try await scene(nil).mintShortLives()
    if beginsAtProvider { try await behaviour.prelude?(scene(nil)) }
    let client = try ClientProcess(options.command, environment: environment(space, url: url, user: user, token: token))
    var result: ConformResult
    do {
      result = try await watched(behaviour, scene(client), client)
    } catch {
      _ = await client.end(grace: .zero, on: loop.events)
      throw error
    }
    result.lost = clock.lost
    let end = await client.end(grace: Self.grace, on: loop.events)
    result.output = [client.tail, end].filter { !$0.isEmpty }.joined(separator: "\n")
    return result
  }

  /// The maximum duration of a behaviour, as a multiple of that on an idle machine.
  private static let slowest = 6

  /// Plays the behaviour, and measures how much processor time the machine takes from the client.
  private func watched(
    _ behaviour: Behaviour, _ scene: ConformScene, _ client: ClientProcess
  ) async throws -> ConformResult {
    try await withThrowingTaskGroup(of: ConformResult?.self) { group in
      group.addTask {
        var delay = ProcessDelay(of: client.number)
        await scene.clock.watch(client: { delay.next() }, age: { await scene.journalAge() })
        return nil
      }
      group.addTask {
        defer { scene.clock.end() }
        return try await played(behaviour, scene)
      }
      var result: ConformResult?
      for try await played in group { result = played ?? result }
      return result ?? ConformResult(behaviour: behaviour, verdict: .undecided, sentences: ["the run was stopped"])
    }
  }

  private func played(_ behaviour: Behaviour, _ scene: ConformScene) async throws -> ConformResult {
    var result = ConformResult(behaviour: behaviour, verdict: .undecided, sentences: [])
    do {
      try await behaviour.script(scene.how)(scene)
      let judged = try await scene.judge(
        behaviour.demands(scene.how), patience: behaviour.patience(scene.how, grace: scene.wire.grace))
      (result.verdict, result.sentences, result.lines) = (judged.verdict, judged.sentences, judged.lines)
    } catch let end as ConformEnd {
      (result.verdict, result.sentences) = (end.verdict, [end.sentence])
      if end.verdict == .failed { result.lines = await scene.lastLines() }
    }
    if behaviour.needsStatus, await scene.isBlind() {
      (result.verdict, result.lines) = (.notApplicable, [])
      result.sentences = ["the client is a browser, which does not show it why an upgrade was refused"]
    }
    if result.verdict == .failed, let journal = try? await scene.send(.get("/journal/export")) {
      result.journal = Array(journal.data)
    }
    return result
  }

  // MARK: Spaces

  private func space(for behaviour: Behaviour) async throws -> SpaceBody {
    try await space(
      frozen: behaviour.isFrozen, settings: behaviour.settings, idle: behaviour.bound + Self.afterBound)
  }

  /// Makes a space that plays the gateway, or a route to the real one, which keeps its own settings and time.
  private func space(
    frozen: Bool = false, settings: [JSONMember] = [], idle: Duration
  ) async throws -> SpaceBody {
    let all = options.upstream.map { options.wire.settingsOfRoute + $0.settings } ?? options.wire.settings + settings
    let order = MakeSpaceOrder(
      upstream: options.upstream?.url, frozen: options.upstream == nil ? frozen : nil, seed: 1, idleS: idle.inSeconds,
      settings: JSONFragment(String(decoding: all.object(), as: UTF8.self)))
    return try await decoded(options.control.send(.post("/spaces", order), by: dialer))
  }

  private func end(_ space: SpaceBody) async {
    // A space that cannot be ended now ends by itself when it is idle.
    _ = try? await options.control.send(HTTPRequest(method: "DELETE", path: "/spaces/\(space.name)"), by: dialer)
  }

  private func beginning(of space: SpaceBody) async throws -> Int {
    struct Page: Decodable { let last: Int }
    let request = HTTPRequest.get("/spaces/\(space.name)/journal", query: [HTTPField("limit", "1")])
    let page: Page = try await decoded(options.control.send(request, by: dialer))
    return page.last
  }

  /// Returns the token that the client starts with.
  ///
  /// - Parameter firstLife: Its life, if the client's timer is to go off in the run.
  private func token(
    for behaviour: Behaviour, _ firstLife: Duration?, of user: String, from provider: ControlClient,
    in space: SpaceBody
  ) async throws -> String {
    let given: Duration = if case .living(let life) = behaviour.token { life } else { .seconds(1) }
    let life = firstLife ?? given
    let minting = TokenProviderClient(scheme: options.wire.tokenScheme)
    // A provider with a configured failure rate may fail here.
    for _ in 0..<20 {
      let answer = try await provider.send(minting.request(for: UserID(user), life: .lasting(life)), by: dialer)
      guard answer.status < 500 else { continue }
      guard let token = minting.token(in: HTTPResponse(status: answer.status, json: answer.data)) else {
        throw ConformEnd(verdict: .undecided, sentence: answer.complaint)
      }
      if behaviour.token == .expired { try await advance(space) }
      return token.token
    }
    throw ConformEnd(verdict: .undecided, sentence: "the provider makes no token to begin with")
  }

  /// Returns whether the gateway asks clients of the wire for tokens.
  private func asks(_ space: SpaceBody) async throws -> Bool {
    struct Settings: Decodable {
      struct Dialect: Decodable {
        let name: String
        let refresh_timeout_s: Double
      }
      let dialects: [Dialect]
    }
    let request = HTTPRequest.get("/spaces/\(space.name)/settings")
    let settings: Settings = try await decoded(options.control.send(request, by: dialer))
    return settings.dialects.contains { Name($0.name) == Name(options.wire.name) && $0.refresh_timeout_s > 0 }
  }

  /// Advances the space's time by a minute.
  private func advance(_ space: SpaceBody) async throws {
    let minute = AdvanceOrder(byS: 60, patienceMs: 0)
    _ = try await options.control.send(.post("/spaces/\(space.name)/clock/advance", minute), by: dialer)
  }

  private func decoded<Content: Decodable>(_ answer: ControlClient.Answer) throws -> Content {
    guard answer.status < 400 else { throw ConformEnd(verdict: .undecided, sentence: answer.complaint) }
    return try JSONCoder().decode(Content.self, from: answer.data)
  }

  private func environment(
    _ space: SpaceBody, url: String, user: String, token: String?
  ) -> [String: String] {
    typealias Name = ConformVariables
    if let upstream = options.upstream {
      var variables = [Name.url: url, Name.httpURL: space.httpURL]
      if let path = upstream.tokenPath { variables[Name.tokenURL] = "\(space.httpURL)\(path)" }
      return ProcessEnvironment.variables.merging(variables) { _, ours in ours }
    }
    return ProcessEnvironment.variables.merging([
      Name.url: url, Name.httpURL: space.httpURL, Name.tokenURL: "\(space.httpURL)/v1/tokens", Name.user: user,
      Name.token: token ?? "", Name.apiKey: "conform", Name.tokenScheme: options.wire.tokenScheme,
    ]) { _, ours in ours }
  }
}
