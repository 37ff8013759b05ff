internal import Dispatch
internal import GatewayControl
internal import GatewayCore
package import GatewayRuntime
internal import Glibc

/// A gateway as a service: it reports to the service manager, reloads its keys on a signal, and drains before it ends.
package struct GatewayService: Sendable {
  /// Reads the settings again, with every file that they name. Throws if one cannot be read.
  package typealias Reading = @Sendable () throws -> GatewaySettings

  private let running: RunningGateway
  private let log: GatewayLog
  private let supervision: Supervision
  /// The window of a drain that has no window of its own.
  private let drainWindow: Duration

  package init(_ running: RunningGateway, _ log: GatewayLog, _ supervision: Supervision, drainWindow: Duration) {
    self.running = running
    self.log = log
    self.supervision = supervision
    self.drainWindow = drainWindow
    // From here on an order waits for its turn, even if it comes before `run`.
    running.inbox.attend()
  }

  /// Serves until SIGTERM, SIGINT, an order to drain or the end of the input, then drains the gateway and stops it. Meanwhile
  /// SIGHUP, or an order, reloads the keys and the certificate. An end does not wait for a reload.
  ///
  /// Returns whether it ended as ordered; false if the other processes of its store have declared it dead. It then closes
  /// every client with 1012 at once.
  ///
  /// - Parameters:
  ///   - signals: The signals that the process handles.
  ///   - inputEnd: Returns when the input has ended, or its task is cancelled; nil if that does not end the gateway.
  ///   - readAnew: Reads the settings again, for a reload. Called on a thread of its own, since a file may block it.
  @discardableResult
  package func run<Signals: AsyncSequence<Int32, Never> & Sendable>(
    _ signals: Signals, inputEnd: (@Sendable () async -> Void)? = nil, readAnew: @escaping Reading
  ) async -> Bool {
    let inbox = running.inbox
    let watcher = Task {
      for await signal in signals {
        switch signal {
        case SIGHUP: inbox.reload()
        case SIGTERM: inbox.end(.init(cause: "SIGTERM", isSignal: true))
        default: inbox.end(.init(cause: "SIGINT", isSignal: true))
        }
      }
    }
    let inputWatcher = inputEnd.map { inputEnd in
      Task {
        await inputEnd()
        inbox.end(.init(cause: "input"))
      }
    }
    supervision.begin(running)
    let end = await end(readAnew)
    if end.isLoss {
      // The clients of other processes stay.
      await NodeScope.$isHere.withValue(true) {
        _ = try? await running.gateway.controlAll(.disconnect(.serviceRestart))
      }
    }
    inputWatcher?.cancel()
    let window = end.window ?? drainWindow
    supervision.stop(within: window + RunningGateway.requestPatience)
    await drain(end.cause, over: window)
    watcher.cancel()
    return !end.isLoss
  }

  /// Waits for the end, and reloads until then.
  private func end(_ readAnew: @escaping Reading) async -> ServiceInbox.End {
    while true {
      switch await running.inbox.next() {
      case .reload:
        supervision.beginReload()
        // Not awaited, since an end comes first.
        Task { [running] in running.inbox.reloaded(await reload(readAnew)) }
      case .reloaded(let answer):
        supervision.endReload(running)
        running.inbox.tell(answer)
      case .end(let end):
        running.inbox.refuseReloads()
        return end
      case .drained, .endAtOnce: break
      }
    }
  }

  /// Reloads the keys of tokens and the certificate independently. If one cannot be read, the old one stays in use.
  private func reload(_ readAnew: @escaping Reading) async -> ReloadAnswer {
    let keys: ReloadAnswer.Part
    do {
      let settings = try await Self.onOwnThread(readAnew)
      try await running.renewKeys(by: settings)
      keys = .reloaded(settings.keyFiles)
      log.note(.info, "keys_reloaded")
    } catch {
      keys = .kept("\(error)")
      log.note(.error, "keys_kept", ["error": "\(error)"])
    }
    guard running.hasCertificate else { return ReloadAnswer(keys: keys, certificate: nil) }
    do {
      try await running.reloadCertificate()
      log.note(.info, "certificate_reloaded")
      return ReloadAnswer(keys: keys, certificate: .reloaded(Self.certificateFlags))
    } catch {
      log.note(.error, "certificate_kept", ["error": "\(error)"])
      return ReloadAnswer(keys: keys, certificate: .kept("\(error)"))
    }
  }

  private static let certificateFlags = ["--tls-certificate", "--tls-key"]

  /// Reads on a thread of its own: a file on a network that is gone, or a pipe, blocks no thread that others need.
  private static func onOwnThread(_ readAnew: @escaping Reading) async throws -> GatewaySettings {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "postern.reload").async { continuation.resume(with: Result { try readAnew() }) }
    }
  }

  /// Drains the gateway and stops it; a second signal ends everything at once.
  private func drain(_ cause: String, over window: Duration) async {
    let before = await running.connectionCount()
    log.note(
      .info, "drain_begun", ["cause": cause, "window_s": String(window.inSeconds), "connections": String(before)])
    // Not awaited, since a second signal ends it.
    Task { [running] in running.inbox.drained(unanswered: await running.drain(over: window)) }
    if case .drained(let unanswered) = await running.inbox.next(), unanswered > 0 {
      log.note(.warning, "requests_cut", ["count": String(unanswered)])
    }
    let left = await running.connectionCount()
    log.note(.info, "drain_ended", ["closed": String(max(0, before - left)), "cut_off": String(left)])
    await running.stop()
    log.note(.info, "stopped")
  }
}
