import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayProcess
import GatewayReport
import GatewayServer
import Glibc

/// The command `postern storm`: a fleet of clients against a gateway.
enum StormCommand: Command {
  static let name = "storm"
  static let summary =
    "run a fleet of clients whose tokens expire together, against any gateway, with a report and thresholds"
  static let example = """
    postern storm --url ws://127.0.0.1:8080 --clients 5000 --rate 1000 --report reports \\
        --threshold 'lost == 0' --threshold 'time_to_99 < 20s'
    """
  static let sections = StormFlags.sections
  static let variables = [StormPart.variable]
  static let neededFirst = [
    "url", "dialect", "clients", "rate", "behaviour", "jitter", "provider", "control-url", "threshold", "report",
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let part = try StormPart.read(ProcessEnvironment.variables)
    var options = try StormOptions(arguments, part: part)
    try options.pin(part?.pins)
    try await options.readSettings()
    if let part { return try await runPart(options, part) }
    try ReportFiles.check(options.reportDirectory)
    if let note = options.fetchesNote { Output.error("storm: \(note)") }
    let issuer = try await startIssuer(options)
    if options.isOfOthers {
      for host in options.pins where host.isName { Output.error("\(host.text): the storm keeps to that") }
      try await StormProbe(options).run()
    }
    let workers = try await options.connectWorkers()
    let live = try await startLive(options)
    let interim = keepReport(options)
    let faults: [StormOptions.OrderedFault]
    do {
      faults = try await options.orderFaults()
    } catch {
      await live?.end()
      throw error
    }
    let line = ProgressLine(clients: options.people)
    let signals = SignalStream(SignalStream.ends)
    var result: StormResult
    let startsAt: WallTime
    let failures: [String]
    do {
      (result, startsAt, failures) =
        try await options.plan.processes == 1 && workers.isEmpty
        ? runHere(options, signals, line, snapshots(live, interim))
        : runInParts(options, workers, signals, line, snapshots(live, interim))
    } catch {
      await options.mend(faults)
      await live?.end()
      throw error
    }
    interim?.end()
    await issuer?.end()
    result.keys = options.issuer?.issuer.figures
    await options.mend(faults)
    if let end = options.faultsEnd {
      result.triggerEnd = max(result.triggerEnd ?? 0, (end - startsAt).inSeconds)
    }
    line.finish()
    var report = StormReport(
      plan: options.plan(after: result), gateway: options.gatewayText, provider: options.providerText,
      startedAt: startsAt,
      machine: .current, result: result, thresholds: options.thresholds,
      phaseThresholds: options.phaseThresholds, settings: options.settings,
      caveats: options.caveats, failures: failures, run: options.mark?.run, fleets: options.fleetReports(result))
    // A failed simulation must not hold back the report.
    if let advice = try? await StormAdvice(options, report)?.advice() { report = report.advised(advice) }
    // While the command waits for readers of the live page, a signal ends it like any program.
    signals.end()
    live?.finish(report)
    let told = Result { try tell(report, options) }
    await live?.end(after: options.liveTime)
    try told.get()
    return report.passes ? 0 : 1
  }

  /// Starts the issuer of the clients' tokens, if flags ask for one, and waits for the gateway as long as they say.
  private static func startIssuer(_ options: StormOptions) async throws -> IssuerServer? {
    guard let issuer = options.issuer else { return nil }
    let server = try await IssuerServer.start(issuer.issuer, on: issuer.host, issuer.port, tls: issuer.tls)
    let rules = issuer.issuer.rules
    Output.error(
      "issuer: \(rules.issuer), "
        + (rules.introspects
          ? "introspection at \(rules.address)\(IssuerRules.introspectionPath)"
          : "keys at \(rules.address)\(IssuerRules.keysPath)"))
    if issuer.wait > .zero, await !server.waitForGateway(issuer.wait) {
      Output.error("storm: no gateway asked for the keys within --jwks-wait; the storm begins")
    }
    return server
  }

  /// Starts the live page, if a port is given.
  private static func startLive(_ options: StormOptions) async throws -> LiveServer? {
    guard let port = options.livePort else { return nil }
    let (plan, gateway, provider) = (options.plan, options.gatewayText, options.providerText)
    let startedAt = SystemTime.now
    let metrics = StormMetrics(
      run: options.mark?.run ?? "", scenario: options.scenarioName ?? "", dialect: plan.dialect, clients: plan.clients,
      fleets: options.fleets.map { (name: $0.plan.fleet?.name ?? "", clients: $0.plan.clients) })
    let live = try await LiveServer.start(port: port, metrics) { result in
      StormReport(
        plan: plan, gateway: gateway, provider: provider, startedAt: startedAt, machine: .current, result: result,
        thresholds: [])
    }
    Output.error("live: \(live.address)")
    return live
  }

  /// Returns the writer of the interim report; nil without a folder.
  private static func keepReport(_ options: StormOptions) -> InterimReport? {
    let startedAt = SystemTime.now
    return InterimReport(options.reportDirectory) { result in
      StormReport(
        plan: options.plan, gateway: options.gatewayText, provider: options.providerText, startedAt: startedAt,
        machine: .current, result: result, thresholds: options.thresholds, settings: options.settings,
        caveats: options.caveats,
        failures: [
          "the storm had not ended when this was written, \(Figures.seconds(result.seconds)) after its start: the figures are "
            + "what was counted until then"
        ], run: options.mark?.run, fleets: options.fleetReports(result))
    }
  }

  /// Returns the function that passes on the counts so far; nil if nothing uses them.
  private static func snapshots(
    _ live: LiveServer?, _ interim: InterimReport?
  ) -> (@Sendable ([StormResult]) -> Void)? {
    guard let interim else { return live?.snapshots }
    let show = live?.snapshots
    return { parts in
      show?(parts)
      interim.show(parts)
    }
  }

  private static func runHere(
    _ options: StormOptions, _ signals: SignalStream, _ line: ProgressLine,
    _ snapshots: (@Sendable ([StormResult]) -> Void)?
  ) async throws -> (StormResult, WallTime, [String]) {
    let watchdog = StormWatchdog(options.stopRules, endsHopeless: options.endsHopeless)
    let gate = PhaseGate()
    let storm = try await LocalStorm.start(
      options, part: nil,
      report: { progress in
        gate.note(progress)
        line.show(progress)
        watchdog.look(at: progress)
      }, snapshots: snapshots)
    watchdog.whenItStops { storm.interrupt() }
    let watch = Task { for await _ in signals { storm.interrupt() } }
    defer { watch.cancel() }
    let (result, failures) = try await conduct(options, startsAt: storm.startsAt, gate) { await storm.run() }
    return (watchdog.judged(result), storm.startsAt, failures)
  }

  /// Runs the storm while its scenario is carried out. Also returns sentences about orders that were not carried out.
  private static func conduct<Outcome>(
    _ options: StormOptions, startsAt: WallTime, _ gate: PhaseGate, _ run: () async throws -> Outcome
  ) async throws -> (Outcome, [String]) {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let conductor = ScenarioConductor(options).map { conductor in
      Task(executorPreference: loop.events) { await conductor.conduct(startsAt: startsAt, gate: gate, on: loop.events) }
    }
    do {
      let result = try await run()
      conductor?.cancel()
      return (result, await conductor?.value ?? [])
    } catch {
      conductor?.cancel()
      _ = await conductor?.value
      throw error
    }
  }

  private static func runInParts(
    _ options: StormOptions, _ workers: [WorkerLink], _ signals: SignalStream, _ line: ProgressLine,
    _ snapshots: (@Sendable ([StormResult]) -> Void)?
  ) async throws -> (StormResult, WallTime, [String]) {
    let startsAt = options.start(ready: SystemTime.now + StormParts.head)
    let watchdog = StormWatchdog(options.stopRules, endsHopeless: options.endsHopeless)
    let gate = PhaseGate()
    let parts = StormParts(
      count: options.plan.processes, clients: options.people, workers: workers, run: options.mark?.run ?? "",
      pins: options.pins,
      report: { progress in
        gate.note(progress)
        line.show(progress)
        watchdog.look(at: progress)
      }, snapshots: snapshots)
    watchdog.whenItStops { parts.interrupt() }
    let watch = Task { for await _ in signals { parts.interrupt() } }
    defer { watch.cancel() }
    let words = Array(CommandLine.arguments.dropFirst())
    let (outcome, failures) = try await conduct(options, startsAt: startsAt, gate) {
      try await parts.run(words: words, startsAt: startsAt)
    }
    for failure in outcome.failures { Output.error(failure) }
    return (watchdog.judged(outcome.result), startsAt, outcome.failures + failures)
  }

  /// Runs one part of a storm for its parent process. Ends early if the parent tells it to, or is gone.
  private static func runPart(_ options: StormOptions, _ part: StormPart) async throws -> Int32 {
    let teller = PartTeller(snapshotPause: options.livePort == nil ? PartTeller.usualPause : .zero)
    let storm = try await LocalStorm.start(
      options, part: part, report: { teller.tell($0) }, snapshots: { teller.tell(snapshot: $0) })
    let signals = SignalStream(SignalStream.ends)
    let watch = Task { for await _ in signals { storm.interrupt() } }
    defer { watch.cancel() }
    OwnThread.start {
      InputEnd.see()
      storm.interrupt()
    }
    teller.tell(await storm.run())
    return 0
  }

  private static func tell(_ report: StormReport, _ options: StormOptions) throws {
    // A report that cannot be written in one form is still printed in another, so that no measurement is lost.
    let json = Result { try report.json() }
    let recorded = json.flatMap { json in Result { try RecordedReport(json: json) } }
    if options.printsJSON, let json = try? json.get() {
      Output.line(String(decoding: json, as: UTF8.self))
    } else if options.outputs.printsSummary, let recorded = try? recorded.get() {
      Output.line(recorded.summary)
    } else {
      Output.line(report.table.joined(separator: "\n"))
    }
    let tellsFiles = !options.printsJSON && !options.outputs.printsSummary
    try ReportFailure.each(
      { try options.outputs.write(try recorded.get()) },
      {
        guard let directory = options.reportDirectory else { return }
        try ReportFiles.write(report, to: directory) { if tellsFiles { Output.line("report: \($0)") } }
      })
    if tellsFiles, let advice = report.advice { Output.line(advice.text) }
  }
}
