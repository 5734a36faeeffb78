@export()
@description('One role for one identity, at the resource whose module takes it.')
type grant = {
  @description('The object id of the identity.')
  principalId: string

  @description('What the identity is; one that was just made is not found without it.')
  principalType: 'Group' | 'ServicePrincipal' | 'User'

  @description('The GUID of the role definition.')
  role: string

  @description('What it must not do with it, as a condition of Azure; absent for none.')
  condition: string?
}

@export()
@description('A person, a group or a pipeline that gets roles of its own; an empty id gets none.')
type person = {
  @description('The object id; empty for nobody.')
  id: string

  @description('What it is: a role that is given to the wrong kind is refused.')
  type: 'Group' | 'ServicePrincipal' | 'User'
}

@export()
@description('The image that a machine is made from, pinned.')
type image = {
  @description('Who publishes it.')
  publisher: string

  @description('The offer.')
  offer: string

  @description('The SKU.')
  sku: string

  @description('The version; never `latest`.')
  version: string
}

@export()
@description('What a machine is; a second one repeats it under another name.')
type machine = {
  @description('Its name, to which the region is added.')
  @minLength(1)
  @maxLength(40)
  name: string

  @description('The size.')
  size: string

  @description('The image.')
  image: image

  @description('Standard; TrustedLaunch is with a vTPM and without secure boot, which refuses unsigned drivers.')
  securityType: 'Standard' | 'TrustedLaunch'
}

@export()
@description('What is a machine\'s own, for the commands.')
type own = {
  @description('Its full name, with the region.')
  name: string

  @description('The vault of its keys.')
  keyVaultUrl: string

  @description('The client id of its identity.')
  clientId: string

  @description('The object id of its identity.')
  principalId: string
}

@export()
@description('How the model is reached: A from the Internet by HTTPS, B by a Cloudflare tunnel, C by a tailnet.')
type edge = 'A' | 'B' | 'C'

@export()
@description('The amounts and limits that the switch enforces, as docs/settings.md has them.')
type policy = {
  @description('PRICE_PER_HOUR.')
  pricePerHour: string

  @description('CURRENCY.')
  currency: string

  @description('BUDGET_LIMIT.')
  budgetLimit: string

  @description('BUDGET_FROM: the first day of a month.')
  budgetFrom: string

  @description('BUDGET_TO: the first day of a month.')
  budgetTo: string

  @description('STANDING_COST_PER_MONTH.')
  standingCostPerMonth: string

  @description('DEFAULT_HOURS.')
  defaultHours: string

  @description('MAX_RUNTIME_HOURS.')
  maxRuntimeHours: string

  @description('MAX_STARTS_PER_HOUR.')
  maxStartsPerHour: string

  @description('EXPECTED_READY_MINUTES.')
  expectedReadyMinutes: string

  @description('READY_DEADLINE_MINUTES.')
  readyDeadlineMinutes: string

  @description('IDLE_MINUTES.')
  idleMinutes: string

  @description('CAPACITY_RETRY_MINUTES.')
  capacityRetryMinutes: string

  @description('TIME_ZONE.')
  timeZone: string

  @description('CHAT_URL.')
  chatUrl: string

  @description('NOTIFY_EVENTS.')
  notifyEvents: string

  @description('QUIET_HOURS.')
  quietHours: string
}

@export()
@description('The roles that come with Azure, by their GUIDs.')
var builtIn = {
  blobDataContributor: 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
  blobDataOwner: 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
  blobDataReader: '2a2b9908-6ea1-4ae2-8e65-a410df84e7d1'
  keyVaultSecretsOfficer: 'b86a8fe4-44ce-4948-aee5-eccb2c155cd7'
  keyVaultSecretsUser: '4633458b-17de-408a-b874-0445c86b69e6'
  monitoringMetricsPublisher: '3913510d-42f4-4e42-8a64-420c390055eb'
  tableDataContributor: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
}
