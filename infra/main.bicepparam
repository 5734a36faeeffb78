// What differs between two deployments, from the environment: `azd env set NAME VALUE`
// or `export NAME=VALUE`. A name without a value here must be given.
using 'main.bicep'

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME', 'kimi')
param prefix = readEnvironmentVariable('SWITCH_PREFIX', 'kimi')
param location = readEnvironmentVariable('AZURE_LOCATION', 'eastus2')
param machineLocation = readEnvironmentVariable('MACHINE_LOCATION', 'eastus2')

@description('The machine.')
var first = {
  name: readEnvironmentVariable('MACHINE_NAME', 'vm-kimi-01')
  size: readEnvironmentVariable('MACHINE_SIZE', 'Standard_ND96isr_H200_v5')
  image: {
    publisher: 'microsoft-dsvm'
    offer: readEnvironmentVariable('MACHINE_IMAGE_OFFER', 'ubuntu-hpc')
    sku: readEnvironmentVariable('MACHINE_IMAGE_SKU', '2404')
    version: readEnvironmentVariable('MACHINE_IMAGE_VERSION', '24.04.2026092501')
  }
  securityType: readEnvironmentVariable('MACHINE_SECURITY_TYPE', 'Standard')
}
@description('The name of one more of the same; empty for none.')
var second = readEnvironmentVariable('SECOND_MACHINE_NAME', '')
param machines = empty(second) ? [first] : [first, union(first, { name: second })]
param edge = readEnvironmentVariable('EDGE', 'B')

// `control vm create` alone sets these; a deployment without them makes no machine.
param createMachine = readEnvironmentVariable('CREATE_MACHINE', '')
param mendMachine = readEnvironmentVariable('MEND_MACHINE', '')
param osDiskId = readEnvironmentVariable('OS_DISK_ID', '')
param customData = readEnvironmentVariable('CUSTOM_DATA', '')
param adminUsername = readEnvironmentVariable('ADMIN_USERNAME', 'kimiadmin')
param sshPublicKey = readEnvironmentVariable('SSH_PUBLIC_KEY', '')

param deployer = {
  id: readEnvironmentVariable('AZURE_PRINCIPAL_ID', '')
  type: readEnvironmentVariable('AZURE_PRINCIPAL_TYPE', 'User')
}
param operator = {
  id: readEnvironmentVariable('OPERATOR_ID', '')
  type: readEnvironmentVariable('OPERATOR_TYPE', 'User')
}
param emails = map(split(readEnvironmentVariable('ALARM_EMAILS'), ','), email => trim(email))

param policy = {
  pricePerHour: readEnvironmentVariable('PRICE_PER_HOUR', '84.80')
  currency: readEnvironmentVariable('CURRENCY', 'USD')
  budgetLimit: readEnvironmentVariable('BUDGET_LIMIT', '4500.00')
  budgetFrom: readEnvironmentVariable('BUDGET_FROM')
  budgetTo: readEnvironmentVariable('BUDGET_TO')
  standingCostPerMonth: readEnvironmentVariable('STANDING_COST_PER_MONTH', '49.66')
  defaultHours: readEnvironmentVariable('DEFAULT_HOURS', '2')
  maxRuntimeHours: readEnvironmentVariable('MAX_RUNTIME_HOURS', '4')
  maxStartsPerHour: readEnvironmentVariable('MAX_STARTS_PER_HOUR', '6')
  expectedReadyMinutes: readEnvironmentVariable('EXPECTED_READY_MINUTES', '30')
  readyDeadlineMinutes: readEnvironmentVariable('READY_DEADLINE_MINUTES', '75')
  idleMinutes: readEnvironmentVariable('IDLE_MINUTES', '20')
  capacityRetryMinutes: readEnvironmentVariable('CAPACITY_RETRY_MINUTES', '30')
  timeZone: readEnvironmentVariable('TIME_ZONE', 'UTC')
  chatUrl: readEnvironmentVariable('CHAT_URL', '')
  notifyEvents: readEnvironmentVariable('NOTIFY_EVENTS', 'all')
  quietHours: readEnvironmentVariable('QUIET_HOURS', '')
}
param shutdownAt = readEnvironmentVariable('AUTO_SHUTDOWN_AT', '12:00')

param noBudgetsBecause = readEnvironmentVariable('NO_BUDGETS_BECAUSE', '')
param credit = int(readEnvironmentVariable('CREDIT', '4500'))
param monthly = int(readEnvironmentVariable('CREDIT_A_MONTH', '1500'))
param creditExpires = readEnvironmentVariable('CREDIT_EXPIRES')
param budgetsFrom = readEnvironmentVariable('BUDGETS_FROM', readEnvironmentVariable('BUDGET_FROM'))

param memory = readEnvironmentVariable('SWITCH_MEMORY', '2048')
param alwaysReady = int(readEnvironmentVariable('SWITCH_ALWAYS_READY', '0'))
param ledgerCopies = readEnvironmentVariable('LEDGER_COPIES', 'Standard_ZRS')
param logGigabytesADay = int(readEnvironmentVariable('LOG_GIGABYTES_A_DAY', '1'))
