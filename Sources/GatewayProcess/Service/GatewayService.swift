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
  /// The window of a drain without one of its own.
  private let drainWindow: Duration

  package init(_ running: RunningGateway, _ log: GatewayLog, _ supervision: Supervision, drainWindow: Duration) {
    self.running = running
    self.log = log
    self.supervision = supervision
    self.drainWindow = drainWindow
  }

  private enum Event {
    case signal(Int32)
    /// An order over the control port, with its window if it has one.
    case drainOrdered(Duration?)
    /// The process that started the gateway has closed its input.
    case inputEnded
    /// The other processes of the store have declared this one dead.
    case nodeLost
    case drained(unanswered: Int)
  }

  /// Serves until SIGTERM, SIGINT, an order to drain or the end of the input, then drains the gateway and stops it. Meanwhile
  /// SIGHUP reloads the keys and the certificate.
  ///
  /// Returns whether it ended as ordered; false if the other processes of its store have declared it dead. It then closes
  /// every client with 1012 at once.
  ///
  /// - Parameters:
  ///   - signals: The signals that the process handles.
  ///   - inputEnd: Returns when the input has ended, or its task is cancelled; nil if that does not end the gateway.
  ///   - readAnew: Reads the settings again, for a reload.
  @discardableResult
  package func run<Signals: AsyncSequence<Int32, Never> & Sendable>(
    _ signals: Signals, inputEnd: (@Sendable () async -> Void)? = nil, readAnew: @escaping Reading
  ) async -> Bool {
    let (events, add) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(64))
    let watchers = [
      Task { for await signal in signals { add.yield(.signal(signal)) } },
      Task { for await window in running.drainOrders { add.yield(.drainOrdered(window)) } },
      Task { for await _ in running.losses { add.yield(.nodeLost) } },
    ]
    let inputWatcher = inputEnd.map { inputEnd in
      Task {
        await inputEnd()
        add.yield(.inputEnded)
      }
    }
    supervision.begin(running)
    let (cause, window) = await end(of: events, readAnew)
    if cause == Self.nodeLost { _ = try? await running.gateway.controlAll(.disconnect(.serviceRestart)) }
    inputWatcher?.cancel()
    supervision.stop(within: window + RunningGateway.requestPatience)
    await drain(cause, over: window, events, add)
    for watcher in watchers { watcher.cancel() }
    return cause != Self.nodeLost
  }

  /// The cause of an end that nobody ordered.
  private static let nodeLost = "node_lost"

  /// Waits for the end, and reloads meanwhile. Returns the cause and the window of the drain.
  private func end(of events: AsyncStream<Event>, _ readAnew: Reading) async -> (cause: String, window: Duration) {
    for await event in events {
      switch event {
      case .signal(SIGHUP): await supervision.reload(running) { await reload(readAnew) }
      case .signal(let number): return (number == SIGTERM ? "SIGTERM" : "SIGINT", drainWindow)
      case .drainOrdered(let window): return ("control", window ?? drainWindow)
      case .inputEnded: return ("input", drainWindow)
      case .nodeLost: return (Self.nodeLost, .zero)
      case .drained: break
      }
    }
    return ("none", drainWindow)
  }

  /// Reloads the keys of tokens and the certificate independently. If one cannot be read, the old one stays in use.
  private func reload(_ readAnew: Reading) async {
    do {
      try await running.renewKeys(by: readAnew())
      log.note(.info, "keys_reloaded")
    } catch {
      log.note(.error, "keys_kept", ["error": "\(error)"])
    }
    guard running.hasCertificate else { return }
    do {
      try await running.reloadCertificate()
      log.note(.info, "certificate_reloaded")
    } catch {
      log.note(.error, "certificate_kept", ["error": "\(error)"])
    }
  }

  /// Drains the gateway and stops it; a second signal ends everything at once.
  private func drain(
    _ cause: String, over window: Duration, _ events: AsyncStream<Event>, _ add: AsyncStream<Event>.Continuation
  ) async {
    let before = await running.connectionCount()
    log.note(
      .info, "drain_begun", ["cause": cause, "window_s": String(window.inSeconds), "connections": String(before)])
    // Not awaited, since a second signal ends it.
    Task { add.yield(.drained(unanswered: await running.drain(over: window))) }
    await waitForDrain(events)
    let left = await running.connectionCount()
    log.note(.info, "drain_ended", ["closed": String(max(0, before - left)), "cut_off": String(left)])
    await running.stop()
    log.note(.info, "stopped")
  }

  private func waitForDrain(_ events: AsyncStream<Event>) async {
    for await event in events {
      switch event {
      case .drained(let unanswered):
        if unanswered > 0 { log.note(.warning, "requests_cut", ["count": String(unanswered)]) }
        return
      case .signal(SIGHUP), .drainOrdered, .inputEnded, .nodeLost: break
      case .signal: return
      }
    }
  }
}
