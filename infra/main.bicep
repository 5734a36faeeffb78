// From an empty subscription to a switched-off, guarded machine. An ordinary deployment
// makes no machine and starts none: see `machine.bicep`.
targetScope = 'subscription'

import {
  builtIn
  edge as Edge
  machine as Machine
  own as Own
  person as Person
  policy as Policy
} from 'types.bicep'

@description('The name of the environment that azd knows.')
param environmentName string

@description('What the names begin with.')
@minLength(2)
@maxLength(7)
param prefix string

@description('Where the switch runs.')
param location string

@description('Where the machines run, and their weights are.')
param machineLocation string

@description('The machines; the first one is what a request means that names none.')
@minLength(1)
param machines Machine[]

@description('How the model is reached.')
param edge Edge

@description('THE NAME OF THE ONE MACHINE TO MAKE. MAKING IT ALLOCATES IT, AND BILLS. Only `control vm create` sets it.')
param createMachine string

@description('The name of a machine that is there, and whose roles and guards are made again. It makes none.')
param mendMachine string

@description('The OS disk that the machine is made again from; empty for a new one.')
param osDiskId string

@description('What a new machine starts from, as `control payload render` prints it.')
param customData string

@description('Who may log in where SSH was opened.')
param adminUsername string

@description('The public half of an SSH key; needed where a machine is made.')
param sshPublicKey string

@description('Who deploys: may write secrets, payloads and the ledger.')
param deployer Person

@description('Who may start and deallocate a machine by the Azure mobile app, whatever the switch does.')
param operator Person

@description('Who is told of alarms.')
@minLength(1)
param emails string[]

@description('The amounts and limits that the switch enforces.')
param policy Policy

@description('When Azure deallocates the machines each day, UTC, as 12:00.')
@minLength(5)
@maxLength(5)
param shutdownAt string

@description('Why the subscription can have no budgets, where its offer has none; else empty.')
@maxLength(256)
param noBudgetsBecause string

@description('The whole credit, of which the budget tells parts.')
param credit int

@description('What a month may cost.')
param monthly int

@description('When the credit expires.')
param creditExpires string

@description('The first day of the budgets; it can never be changed afterwards.')
param budgetsFrom string

@description('Memory of an instance of the switch in MB; 512 was refused by the service in one region.')
param memory '2048' | '4096'

@description('HTTP instances of the switch that are always there.')
@minValue(0)
@maxValue(2)
param alwaysReady int

@description('Copies of the ledger: in three zones; Standard_GRS where a region has none.')
param ledgerCopies 'Standard_LRS' | 'Standard_ZRS' | 'Standard_GRS'

@description('Gigabytes of log a day, after which nothing more is taken.')
@minValue(1)
param logGigabytesADay int

@description('On every resource.')
var tags = {
  'azd-env-name': environmentName
  'kept-by': controlPlaneName
}

@description('What a machine\'s tag `controlled-by` says.')
var controlPlaneName = '${prefix}-switch'

@description('The group of everything.')
var groupName = 'rg-${prefix}'

@description('The same in each deployment, and no other subscription\'s.')
var unique = uniqueString(subscription().id, prefix)

@description('The same for what moves with the machines\' region.')
var uniqueThere = uniqueString(subscription().id, prefix, machineLocation)

@description('The name of the switch.')
var appName = 'func-${prefix}-${unique}'

@description('Where phones find it.')
var publicUrl = 'https://${appName}.azurewebsites.net'

@description('The names of the machines, with their region.')
var machineNames = [for machine in machines: '${machine.name}-${machineLocation}']

@description('What changes a blob.')
var changes = [
  'write'
  'add/action'
  'delete'
  'deleteBlobVersion/action'
  'move/action'
  'tags/write'
  'manageOwnership/action'
  'modifyPermissions/action'
  'permanentDelete/action'
]

// The machine runs as root what it finds in that container, and the app is open to the
// world: whoever takes it over must not choose what.
@description('All blobs but the payloads may be changed.')
var notThePayload = '((${join(map(changes, change => '!(ActionMatches{\'Microsoft.Storage/storageAccounts/blobServices/containers/blobs/${change}\'})'), ' AND ')}) OR (@Resource[Microsoft.Storage/storageAccounts/blobServices/containers:name] StringNotEquals \'payload\'))'

@description('Who deploys, as one more grant of each role that it needs; none without an id.')
var deployers = empty(deployer.id) ? [] : [deployer]

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: groupName
  location: location
  tags: empty(noBudgetsBecause) ? tags : union(tags, { 'no-budgets-because': noBudgetsBecause })
}

module appIdentity 'modules/identity.bicep' = {
  scope: group
  params: {
    name: 'id-${prefix}-switch'
    location: location
    tags: tags
  }
}

// One for each: a machine deallocates itself, and no other.
module machineIdentities 'modules/identity.bicep' = [
  for name in machineNames: {
    scope: group
    params: {
      name: 'id-${prefix}-${name}'
      location: machineLocation
      tags: tags
    }
  }
]

module network 'modules/network.bicep' = {
  scope: group
  params: {
    prefix: prefix
    location: machineLocation
    machines: machineNames
    edge: edge
    tags: tags
  }
}

// Storage looks at a subnet's id before anything is made: one that only another module
// knows was refused.
resource net 'Microsoft.Network/virtualNetworks@2026-03-01' existing = {
  scope: group
  name: 'vnet-${prefix}-${machineLocation}'

  resource machines 'subnets' existing = {
    name: 'machines'
  }
}

module weights 'modules/storage.bicep' = {
  scope: group
  dependsOn: [
    network
  ]
  params: {
    name: 'st${prefix}w${uniqueThere}'
    location: machineLocation
    containers: [
      'models'
    ]
    subnetId: net::machines.id
    readers: [for (name, at) in machineNames: machineIdentities[at].outputs.principalId]
    tags: tags
  }
}

module ledger 'modules/storage.bicep' = {
  scope: group
  params: {
    name: 'st${prefix}l${unique}'
    location: location
    copies: ledgerCopies
    tables: [
      'ledger'
    ]
    grants: concat(
      [
        {
          principalId: appIdentity.outputs.principalId
          principalType: 'ServicePrincipal'
          role: builtIn.tableDataContributor
        }
      ],
      map(deployers, one => {
        principalId: one.id
        principalType: one.type
        role: builtIn.tableDataContributor
      })
    )
    tags: tags
  }
}

// Packages and payloads stand beside what the host keeps: a person must reach them, who
// is in no network of ours.
module store 'modules/storage.bicep' = {
  scope: group
  params: {
    name: 'st${prefix}a${unique}'
    location: location
    containers: [
      'payload'
      'packages'
    ]
    grants: [
      {
        principalId: appIdentity.outputs.principalId
        principalType: 'ServicePrincipal'
        role: builtIn.blobDataOwner
        condition: notThePayload
      }
    ]
    readers: [for (name, at) in machineNames: machineIdentities[at].outputs.principalId]
    writers: deployers
    tags: tags
  }
}

module appVault 'modules/vault.bicep' = {
  scope: group
  params: {
    name: 'kva-${prefix}${unique}'
    location: location
    grants: concat(
      [
        {
          principalId: appIdentity.outputs.principalId
          principalType: 'ServicePrincipal'
          role: builtIn.keyVaultSecretsUser
        }
      ],
      map(deployers, one => {
        principalId: one.id
        principalType: one.type
        role: builtIn.keyVaultSecretsOfficer
      })
    )
    tags: tags
  }
}

// One for each machine: its own keys, and its own token under a name that all know.
module machineVaults 'modules/vault.bicep' = [
  for (name, at) in machineNames: {
    scope: group
    params: {
      name: 'kvm-${prefix}${uniqueString(subscription().id, prefix, machines[at].name)}'
      location: location
      grants: concat(
        [
          {
            principalId: machineIdentities[at].outputs.principalId
            principalType: 'ServicePrincipal'
            role: builtIn.keyVaultSecretsUser
          }
        ],
        map(deployers, one => {
          principalId: one.id
          principalType: one.type
          role: builtIn.keyVaultSecretsOfficer
        })
      )
      tags: union(tags, { machine: name })
    }
  }
]

module telemetry 'modules/telemetry.bicep' = {
  scope: group
  params: {
    prefix: prefix
    location: location
    dailyCap: logGigabytesADay
    grants: [
      {
        principalId: appIdentity.outputs.principalId
        principalType: 'ServicePrincipal'
        role: builtIn.monitoringMetricsPublisher
      }
    ]
    tags: tags
  }
}

module roles 'modules/roles.bicep' = {
  scope: group
  params: {
    suffix: '${prefix}-${unique}'
  }
}

module observers 'modules/observers.bicep' = {
  params: {
    groupName: group.name
    suffix: '${prefix}-${unique}'
    people: concat(
      [
        {
          id: appIdentity.outputs.principalId
          type: 'ServicePrincipal'
        }
      ],
      empty(operator.id) ? [] : [operator]
    )
  }
}

module guards 'modules/guards.bicep' = {
  scope: group
  params: {
    prefix: prefix
    location: location
    emails: emails
    publicUrl: publicUrl
    maxRuntimeHours: policy.maxRuntimeHours
    workspaceId: telemetry.outputs.workspaceId
    insightsId: telemetry.outputs.insightsId
    tags: tags
  }
}

module budgets 'modules/budgets.bicep' = if (empty(noBudgetsBecause)) {
  params: {
    prefix: prefix
    credit: credit
    monthly: monthly
    from: budgetsFrom
    to: creditExpires
    emails: emails
    actionGroupId: guards.outputs.actionGroupId
  }
}

module app 'modules/app.bicep' = {
  scope: group
  params: {
    name: appName
    location: location
    memory: int(memory)
    alwaysReady: alwaysReady
    identityId: appIdentity.outputs.id
    clientId: appIdentity.outputs.clientId
    blobEndpoint: store.outputs.blobEndpoint
    packages: 'packages'
    insightsConnection: telemetry.outputs.connection
    settings: {
      AUTO_SHUTDOWN_AT: shutdownAt
      ARM_ENDPOINT: environment().resourceManager
      AZURE_CLIENT_ID: appIdentity.outputs.clientId
      AZURE_SUBSCRIPTION_ID: subscription().subscriptionId
      BUDGET_FROM: policy.budgetFrom
      BUDGET_LIMIT: policy.budgetLimit
      BUDGET_NAME: empty(noBudgetsBecause) ? '${prefix}-monthly' : ''
      BUDGET_TO: policy.budgetTo
      CAPACITY_RETRY_MINUTES: policy.capacityRetryMinutes
      CHAT_URL: policy.chatUrl
      CONTROL_PLANE_NAME: controlPlaneName
      CURRENCY: policy.currency
      DEFAULT_HOURS: policy.defaultHours
      EXPECTED_READY_MINUTES: policy.expectedReadyMinutes
      IDLE_MINUTES: policy.idleMinutes
      KEY_VAULT_URL: appVault.outputs.uri
      LEDGER_CONNECTION_STRING: ''
      LEDGER_TABLE: 'ledger'
      LEDGER_TABLE_ENDPOINT: ledger.outputs.tableEndpoint
      MACHINES: length(machines) == 1
        ? ''
        : string(map(machineNames, name => { name: name, resource_group: groupName }))
      MAX_RUNTIME_HOURS: policy.maxRuntimeHours
      MAX_STARTS_PER_HOUR: policy.maxStartsPerHour
      NOTIFY_EVENTS: policy.notifyEvents
      NOTIFY_SECRET: 'notify-url'
      PRICE_PER_HOUR: policy.pricePerHour
      PUBLIC_URL: publicUrl
      QUIET_HOURS: policy.quietHours
      READY_DEADLINE_MINUTES: policy.readyDeadlineMinutes
      RETAIL_PRICES_ENDPOINT: 'https://prices.azure.com/api/retail/prices'
      STANDING_COST_PER_MONTH: policy.standingCostPerMonth
      TIME_ZONE: policy.timeZone
      VM_NAME: length(machines) == 1 ? machineNames[0] : ''
      VM_REGION: machineLocation
      VM_RESOURCE_GROUP: length(machines) == 1 ? groupName : ''
    }
    tags: tags
  }
}

module vms 'modules/machine.bicep' = [
  for (machine, at) in machines: if (machine.name == createMachine) {
    scope: group
    // A network that is being changed for one of them is refused to the other.
    dependsOn: [
      weights
    ]
    params: {
      machine: machine
      name: machineNames[at]
      location: machineLocation
      subnetId: net::machines.id
      addressId: network.outputs.addressIds[at]
      identityId: machineIdentities[at].outputs.id
      controlPlaneName: controlPlaneName
      adminUsername: adminUsername
      sshPublicKey: sshPublicKey
      customData: customData
      osDiskId: osDiskId
      tags: tags
    }
  }
]

module enforcers 'modules/enforcers.bicep' = [
  for (machine, at) in machines: if (contains([createMachine, mendMachine], machine.name)) {
    scope: group
    dependsOn: [
      vms
    ]
    params: {
      name: machineNames[at]
      location: machineLocation
      principalId: machineIdentities[at].outputs.principalId
      appPrincipalId: appIdentity.outputs.principalId
      operator: operator
      operatorRole: roles.outputs.operator
      selfRole: roles.outputs.itself
      shutdownAt: replace(shutdownAt, ':', '')
      email: emails[0]
      workspaceId: telemetry.outputs.workspaceId
      tags: tags
    }
  }
]

@description('The group of everything.')
output AZURE_RESOURCE_GROUP string = groupName

@description('The name of the switch.')
output SWITCH_NAME string = app.outputs.name

@description('Where phones find it.')
output PUBLIC_URL string = publicUrl

@description('The vault with the devices\' tokens.')
output KEY_VAULT_URL string = appVault.outputs.uri

@description('The table endpoint of the ledger.')
output LEDGER_TABLE_ENDPOINT string = ledger.outputs.tableEndpoint

@description('What is each machine\'s own, in their order.')
output EVERY_MACHINE Own[] = [
  for (name, at) in machineNames: {
    name: name
    keyVaultUrl: machineVaults[at].outputs.uri
    clientId: machineIdentities[at].outputs.clientId
    principalId: machineIdentities[at].outputs.principalId
  }
]

@description('The vault of the first machine.')
output MACHINE_KEY_VAULT_URL string = machineVaults[0].outputs.uri

@description('The client id of its identity.')
output MACHINE_CLIENT_ID string = machineIdentities[0].outputs.clientId

@description('The object id of its identity.')
output MACHINE_PRINCIPAL_ID string = machineIdentities[0].outputs.principalId

@description('The container of the payloads.')
output PAYLOAD_URL string = '${store.outputs.blobEndpoint}payload'

@description('The container of the weights.')
output WEIGHTS_URL string = '${weights.outputs.blobEndpoint}models'

@description('The storage account of the weights.')
output WEIGHTS_ACCOUNT_ID string = weights.outputs.id

@description('The rule that lets a person in by SSH for some minutes.')
output SSH_RULE_ID string = network.outputs.sshRuleId

@description('The group of the machines.')
output VM_RESOURCE_GROUP string = groupName

@description('The first machine.')
output VM_NAME string = machineNames[0]
