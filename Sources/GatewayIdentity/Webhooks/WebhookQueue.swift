internal import GatewayCore
internal import GatewayKit

/// The webhooks that wait, and those in flight: bounded, in order by address and key, one in flight for each of these.
struct WebhookQueue {
  /// The maximum number of waiting webhooks of one application.
  static let waitingMax = 10_000
  /// The maximum number of bytes of all waiting bodies.
  static let bytesMax = 64 << 20
  /// The maximum number of webhooks in flight; fewer than the requests that the gateway makes at once, so that slow receivers
  /// of webhooks keep no hook waiting.
  static let inFlightMax = 32
  /// The maximum number in flight to one address, so that a slow server leaves room for others.
  static let inFlightToOneMax = 8

  /// A webhook with the place that it waits in.
  ///
  /// `@unchecked Sendable`: `isOver` is touched under the lock of the queue's owner only.
  final class Item: @unchecked Sendable {
    let webhook: Webhook
    let endpoint: EndpointAddress
    let reach: Endpoint.Reach
    let lane: Lane.ID
    /// The row in the store; nil for none.
    let row: WebhookRows.ID?
    /// The number of attempts that earlier processes made.
    let attempts: Int
    let madeAt: WallTime
    fileprivate let address: Name
    fileprivate var isOver = false

    init(
      _ webhook: Webhook, to endpoint: EndpointAddress, reach: Endpoint.Reach, row: WebhookRows.ID? = nil,
      attempts: Int = 0, madeAt: WallTime = WallTime(nanoseconds: 0)
    ) {
      self.webhook = webhook
      self.endpoint = endpoint
      self.reach = reach
      (self.row, self.attempts, self.madeAt) = (row, attempts, madeAt)
      address = Name(webhook.url)
      lane = Lane.ID(application: webhook.application, address: address, key: webhook.key)
    }
  }

  /// The webhooks of one application about one thing for one address.
  struct Lane {
    struct ID: Hashable {
      let application: Name
      let address: Name
      let key: Name
    }

    fileprivate var items = WebhookFIFO<Item>()
    fileprivate var isBusy = false
  }

  private struct Address {
    var inFlight = 0
    /// The lanes with a webhook to send. Some may have lost it by now.
    var ready = WebhookFIFO<Lane.ID>()
    var isInTurn = false
  }

  private var lanes: [Lane.ID: Lane] = [:]
  private var addresses: [Name: Address] = [:]
  /// The addresses with lanes that are ready and room for one more in flight, in the order of their turns.
  private var turn = WebhookFIFO<Name>()
  /// The waiting webhooks of each application, oldest first, among others that wait no more.
  private var applications: [Name: (items: WebhookFIFO<Item>, waiting: Int)] = [:]
  private var bytes = 0
  private(set) var waiting = 0
  private(set) var inFlight = 0
  private var inFlightOf: [Name: Int] = [:]

  /// Whether nothing waits or is in flight.
  var isIdle: Bool { waiting == 0 && inFlight == 0 }

  /// The numbers of the webhooks that wait or are in flight, by vendor.
  var vendors: [Name: Int] {
    var numbers = inFlightOf
    for queue in applications.values {
      queue.items.visit { if !$0.isOver { numbers[Name($0.webhook.vendor), default: 0] += 1 } }
    }
    return numbers
  }

  /// Whether ``next()`` may return a webhook.
  var mayBegin: Bool { inFlight < Self.inFlightMax && !turn.isEmpty }

  /// Adds a webhook. Returns those that were dropped for it, oldest first: of its own application, itself the last.
  mutating func add(_ item: Item) -> [Item] {
    let application = item.webhook.application
    applications[application, default: (WebhookFIFO(), 0)].items.append(item)
    applications[application]?.waiting += 1
    (waiting, bytes) = (waiting + 1, bytes + item.webhook.body.count)
    lanes[item.lane, default: Lane()].items.append(item)
    if let lane = lanes[item.lane], !lane.isBusy, lane.items.count == 1 { makeReady(item.lane) }
    var dropped: [Item] = []
    while (applications[application]?.waiting ?? 0) > Self.waitingMax || bytes > Self.bytesMax {
      guard let oldest = drop(of: application) else { break }
      dropped.append(oldest)
    }
    tidy(application)
    return dropped
  }

  /// Takes the next webhook to send; nil if there is none, or too many are in flight.
  mutating func next() -> Item? {
    while inFlight < Self.inFlightMax, let name = turn.popFirst() {
      addresses[name]?.isInTurn = false
      while let lane = addresses[name]?.ready.popFirst() {
        guard lanes[lane]?.isBusy == false, let item = lanes[lane]?.items.popFirst() else { continue }
        lanes[lane]?.isBusy = true
        leave(item)
        addresses[name]?.inFlight += 1
        inFlight += 1
        inFlightOf[Name(item.webhook.vendor), default: 0] += 1
        giveTurn(name)
        return item
      }
      forget(name)
    }
    return nil
  }

  /// Notes that a webhook of ``next()`` is done, delivered or not.
  mutating func finish(_ item: Item) {
    inFlight -= 1
    inFlightOf[Name(item.webhook.vendor), default: 0] -= 1
    addresses[item.address]?.inFlight -= 1
    if lanes[item.lane]?.items.isEmpty ?? true {
      lanes[item.lane] = nil
      giveTurn(item.address)
    } else {
      lanes[item.lane]?.isBusy = false
      makeReady(item.lane)
    }
    forget(item.address)
  }

  /// Returns whether ``next(behind:)`` returns one.
  func hasNext(behind item: Item) -> Bool { lanes[item.lane]?.items.isEmpty == false }

  /// Takes the webhook behind one that is in flight, to send it before; nil if there is none.
  mutating func next(behind item: Item) -> Item? {
    guard let next = lanes[item.lane]?.items.popFirst() else { return nil }
    leave(next)
    inFlight += 1
    inFlightOf[Name(next.webhook.vendor), default: 0] += 1
    return next
  }

  /// Notes that a webhook of ``next(behind:)`` is done; the one that it was behind is still in flight.
  mutating func finish(ahead item: Item) {
    inFlight -= 1
    inFlightOf[Name(item.webhook.vendor), default: 0] -= 1
  }

  private mutating func makeReady(_ lane: Lane.ID) {
    let lanes = lanes
    addresses[lane.address, default: Address()].ready.append(lane)
    // Lanes that lost all to newer webhooks are still in the list, and may be there twice.
    if let ready = addresses[lane.address]?.ready, ready.count > 2 * lanes.count + 64 {
      var seen: Set<Lane.ID> = []
      addresses[lane.address]?.ready.keep { lanes[$0]?.isBusy == false && seen.insert($0).inserted }
    }
    giveTurn(lane.address)
  }

  private mutating func giveTurn(_ name: Name) {
    guard let address = addresses[name], !address.isInTurn, !address.ready.isEmpty,
      address.inFlight < Self.inFlightToOneMax
    else { return }
    addresses[name]?.isInTurn = true
    turn.append(name)
  }

  private mutating func forget(_ name: Name) {
    guard let address = addresses[name], address.inFlight == 0, address.ready.isEmpty, !address.isInTurn else { return }
    addresses[name] = nil
  }

  /// Notes that a webhook waits no more.
  private mutating func leave(_ item: Item) {
    item.isOver = true
    applications[item.webhook.application]?.waiting -= 1
    (waiting, bytes) = (waiting - 1, bytes - item.webhook.body.count)
    tidy(item.webhook.application)
  }

  /// Drops the oldest waiting webhook of an application, which is the first of its lane.
  private mutating func drop(of application: Name) -> Item? {
    while let oldest = applications[application]?.items.popFirst() {
      guard !oldest.isOver else { continue }
      leave(oldest)
      _ = lanes[oldest.lane]?.items.popFirst()
      if let lane = lanes[oldest.lane], lane.items.isEmpty, !lane.isBusy { lanes[oldest.lane] = nil }
      return oldest
    }
    return nil
  }

  private mutating func tidy(_ application: Name) {
    guard let queue = applications[application] else { return }
    if queue.waiting == 0 {
      applications[application] = nil
    } else if queue.items.count > 2 * queue.waiting + 64 {
      applications[application]?.items.keep { !$0.isOver }
    }
  }
}
